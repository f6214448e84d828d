"""The runner that the children of `kernel-builder bench` execute.

It does what it is told over a private channel and judges nothing: outputs leave as raw bytes and times as numbers, and the
parent decides what they are worth. Everything it needs of the interpreter is taken before any code of the project runs.
"""
