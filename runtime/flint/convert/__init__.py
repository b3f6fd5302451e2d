"""`flint convert`: a GGUF model as a folder of safetensors, configuration and tokenizer."""
