"""LaMa: filling the masked part of an image, from files or from Pillow's images."""

from flint.lama.inpainting import LamaRustScript

__all__ = ["LamaRustScript"]
