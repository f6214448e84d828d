"""Describes the Python that runs it: one line of JSON. Imports nothing but the standard library.

Runs under `-I`, outside the project. `search` is where packages are looked for, in order, with the user's own directory
where this Python would use it.
"""

import json
import os
import platform
import site
import sys
import sysconfig

in_environment = sys.prefix != sys.base_prefix
search = [path for path in sys.path if os.path.isdir(path)]
own = site.getusersitepackages()
if not in_environment and site.ENABLE_USER_SITE is not None and os.path.isdir(own):
    search.insert(0, own)

print(
    json.dumps(
        {
            "interpreter": sys.executable,
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
            "include": sysconfig.get_path("include"),
            "prefix": sys.prefix,
            "search": search,
            "cpu": platform.machine(),
            "os": platform.system().lower(),
            "macos": platform.mac_ver()[0],
        }
    )
)
