"""The names and numbers of `flint::sd` (host-functions.md 3.1, 3.2).

They are the scripts' own: the installed library may number them otherwise or lack some.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint.runtime.host import Refused

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Names numbered from 0; the last one, `auto`, leaves the choice to the library."""

    title: str
    names: tuple[str, ...]

    def number(self, name: str) -> int:
        """The number of an exact name; empty is `auto`."""
        try:
            return self.names.index(name or AUTO)
        except ValueError:
            raise self._unknown(f"no {self.title} named {name!r}") from None

    def name(self, number: int) -> str:
        """The name of a number."""
        if not 0 <= number < len(self.names):
            raise self._unknown(f"{number} is not a {self.title}")
        return self.names[number]

    def _unknown(self, problem: str) -> Refused:
        return Refused(f"sd library: {problem}; there are {', '.join(self.names)}")


SAMPLE_METHODS = Enumeration(
    "sample method",
    (
        *("euler", "euler_a", "heun", "dpm2", "dpm++2s_a", "dpm++2m", "dpm++2mv2"),
        *("ipndm", "ipndm_v", "lcm", "ddim_trailing", "tcd", "res_multistep", "res_2s"),
        *("er_sde", "euler_cfg_pp", "euler_a_cfg_pp", "euler_ge", "dpm++2m_sde"),
        *("dpm++2m_sde_bt", AUTO),
    ),
)
SCHEDULERS = Enumeration(
    "scheduler",
    (
        *("discrete", "karras", "exponential", "ays", "gits", "sgm_uniform", "simple"),
        *("smoothstep", "kl_optimal", "lcm", "bong_tangent", "ltx2", "logit_normal", "flux2"),
        *("flux", "beta", AUTO),
    ),
)

_WEIGHT_TYPES = (
    *("f32", "f16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q8_1", "q2_k", "q3_k", "q4_k"),
    *("q5_k", "q6_k", "q8_k", "iq2_xxs", "iq2_xs", "iq3_xxs", "iq1_s", "iq4_nl", "iq3_s"),
    *("iq2_s", "iq4_xs", "i8", "i16", "i32", "i64", "f64", "iq1_m", "bf16", "tq1_0", "tq2_0"),
    *("mxfp4", "nvfp4", "q1_0"),
)
_WEIGHT_ALIASES = {"": AUTO, AUTO: AUTO, "float": "f32", "half": "f16", "q8": "q8_0"}
VAE_FORMATS = {-1: AUTO, 0: "flux", 1: "sd3", 2: "flux2"}


def weight_type(name: str) -> str:
    """The exact name of a weight type: aliases and `auto` in any case, the others as they are."""
    found = _WEIGHT_ALIASES.get(name.lower(), name)
    if found != AUTO and found not in _WEIGHT_TYPES:
        known = ", ".join((*_WEIGHT_TYPES, AUTO))
        raise Refused(f"sd library: no weight type named {name!r}; there are {known}")
    return found
