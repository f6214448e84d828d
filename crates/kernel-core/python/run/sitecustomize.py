"""Python imports a module of this name by itself, before the program: the way in for `kernel-builder run`."""

import importlib.machinery
import importlib.util
import os
import sys

import kernel_builder_run

kernel_builder_run.start()

# The environment's own file of this name, if it has one.
_others = [place for place in sys.path if os.path.abspath(place or ".") != kernel_builder_run.DIRECTORY]
_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)
if _other is not None and _other.loader is not None:
    _other.loader.exec_module(importlib.util.module_from_spec(_other))
