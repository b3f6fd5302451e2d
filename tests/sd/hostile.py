"""What programs that misuse `flint::sd` share: their registry, a model, a place to write."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flint.runtime import sd
from tests.runtime.hostile import Cases


@dataclass
class Places:
    """Where the cases find the tiny model and may write, and a context that is loaded already."""

    model: Path = Path()
    scratch: Path = Path()
    loaded: sd.Context | None = None


CASES = Cases()
refused = CASES.refused
places = Places()


def context(**changed: object) -> sd.Context:
    """A context of the tiny model; `changed` are paths and settings to use instead."""
    params = sd.ctx_params_init()
    paths = {
        "model": "",
        **{name: str(places.model / f"{name}.safetensors") for name in ("diffusion", "vae", "llm")},
    }
    paths |= {name: str(path) for name, path in changed.items() if name in paths}
    sd.ctx_params_set_paths(params, paths["model"], paths["diffusion"], paths["vae"], paths["llm"])
    backend = [str(changed.get(name, "auto")) for name in ("backend", "weights", "max_vram")]
    sd.ctx_params_set_backend(params, *backend)
    sd.ctx_params_set_wtype(params, str(changed.get("wtype", "auto")))
    vae_format = changed.get("vae_format", 2)
    assert isinstance(vae_format, int)
    sd.ctx_params_set_vae_format(params, vae_format)
    return sd.new_sd_ctx(params)


class _Kept(sd.Context):
    """A context whose model is left to the end of the process: freeing it takes long in a fork."""

    def _release(self) -> None:
        """Keep the model."""


def loaded(kind: type[sd.Context] = _Kept) -> sd.Context:
    """The context that was made before the forks, as a resource of this run."""
    made = places.loaded
    assert made is not None
    return kind(made.pointer, made.model, made.on_gpu)


def image(made_by: sd.Context, **settings: int) -> sd.ImageBatch:
    params = sd.img_gen_params_init()
    sd.img_gen_params_set_size(params, settings.get("width", 16), settings.get("height", 16))
    sd.img_gen_params_set_sample(params, settings.get("steps", 1), 1, 1.0)
    sd.img_gen_params_set_sampler(params, settings.get("method", 20), settings.get("scheduler", 16))
    return sd.generate_image(made_by, params)


def scratch(name: str, data: bytes | bytearray) -> Path:
    path = places.scratch / name
    path.write_bytes(data)
    return path


def whole(part: str) -> bytes:
    return (places.model / f"{part}.safetensors").read_bytes()
