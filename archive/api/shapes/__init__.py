"""The shapes of answers in JSON, as the contract tells them. Each is a component of its own.

The functions that make answers stand with the views; tests hold every answer against its shape.
"""
