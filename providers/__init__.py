"""Model clients behind protocols: embedders and answerers.

The only room that imports openai or onnxruntime. It knows no database driver and no other room.
"""
