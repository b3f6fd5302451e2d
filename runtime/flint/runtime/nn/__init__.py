"""`flint::nn`: the layers of neural networks (host-functions.md 10)."""

from .attention import apply_rope as apply_rope
from .attention import apply_rope_pair as apply_rope_pair
from .attention import scaled_dot_product_attention as scaled_dot_product_attention
from .attention import scaled_dot_product_attention_masked as scaled_dot_product_attention_masked
from .convolution import conv1d as conv1d
from .convolution import conv1d_step as conv1d_step
from .convolution import conv2d as conv2d
from .convolution import conv_transpose2d as conv_transpose2d
from .linear import embedding as embedding
from .linear import linear as linear
from .linear import swiglu_linear as swiglu_linear
from .norm import add_rms_norm as add_rms_norm
from .norm import batch_norm2d as batch_norm2d
from .norm import layer_norm as layer_norm
from .norm import rms_norm as rms_norm
