"""What one child is told to do, step by step. A question `{"op": X, ...}` is answered by the method `_X`."""

import ctypes
import os
import platform
import sys
import threading
import time

from . import clock, confine


class Session:
    def __init__(self):
        self._kernel = None
        self._declared = None
        self._slots = []
        self._kept = []
        self._noted = None

    def answer(self, question):
        return {"event": question["op"], **getattr(self, "_" + question["op"])(question)}

    def _hello(self, question):
        memory = confine.limit_memory(question["memory"])
        network = confine.leave_network()
        os.chdir(question["directory"])
        # Loading the framework takes long on a busy machine, and is no fault of any script.
        import torch

        if question["threads"]:
            torch.set_num_threads(question["threads"])
        return {
            "python": platform.python_version(),
            "process": os.getpid(),
            "memory_limited": memory,
            "network_left": network,
            "tick": clock.tick(),
        }

    def _discover(self, question):
        import torch

        from . import declared, pristine, scripts

        self._noted = pristine.note()
        if question["operations"] is None:
            found = scripts.discover(question["script"])
        else:
            self._declared = declared.Declared(os.path.dirname(question["script"]), question["operations"])
            found = {"classes": [], "comparison": None}
        noted = pristine.note()
        found["changed"] = pristine.changes(self._noted, noted)
        self._noted = noted
        return {**found, "versions": _versions(), "threads": torch.get_num_threads()}

    def _load(self, question):
        from . import loading

        begin = time.perf_counter()
        self._kernel = loading.load(question["root"], question["backend"])
        seconds = time.perf_counter() - begin
        return {"kernel": self._kernel.__name__, "seconds": seconds, "changed": self._changes()}

    def _open(self, question):
        """Sets up a workload in as many slots as there are seeds."""
        from . import tensors

        self._slots = []
        self._kept = []
        for slot in question["slots"]:
            # Keeps the next allocations from landing where they would in every other process.
            self._kept += [ctypes.create_string_buffer(size) for size in slot["padding"]]
            case = self._case(question, slot["seed"])
            for (_, tensor), offset in zip(case.inputs(), slot["offsets"], strict=False):
                tensors.shift(tensor, offset)
            self._slots.append(case)
        case = self._slots[0]
        return {
            "inputs": [[tensors.describe(*named) for named in case.inputs()] for case in self._slots],
            "state": [repr(case.state()) for case in self._slots],
            "preallocated": case.preallocated is not None,
        }

    def _case(self, question, seed):
        from . import declared, scripts

        if question["case"] is None:
            return scripts.ScriptCase({**question, "seed": seed}, self._kernel)
        return declared.DeclaredCase(self._declared, question["case"], question["device"], seed, self._kernel)

    def _reference(self, question):
        """Writes the inputs of a slot and what the reference makes of them, in its own precision and in float64."""
        from . import tensors

        case = self._slots[question["slot"]]
        with open(question["inputs"], "wb") as file:
            for _, tensor in case.inputs():
                tensors.save(tensor, file)
        own = _write(case.reference(), question["own"])
        exact = None
        try:
            case.widen()
            exact = _write([output.double() if output.is_floating_point() else output for output in case.reference()], question["exact"])
        except Exception:  # noqa: B902 - a reference that insists on its types has only its own precision
            pass
        return {"own": own, "exact": exact}

    def _fill(self, question):
        from . import tensors

        case = self._slots[question["slot"]]
        with open(question["file"], "rb") as file:
            for _, tensor in case.inputs():
                tensors.fill(tensor, file)
        return {}

    def _check(self, question):
        """Runs the kernel once into poisoned outputs and writes what it made."""
        from . import tensors

        case = self._slots[question["slot"]]
        before = [(name, tensors.digest(tensor)) for name, tensor in case.inputs()]
        threads = threading.active_count()
        case.poison()
        begin = clock.now()
        case.candidate()
        self._wait(question)
        elapsed = clock.now() - begin
        written = _write(case.outputs(), question["file"])
        after = dict((name, tensors.digest(tensor)) for name, tensor in case.inputs())
        mutated = [name for name, mark in before if after.get(name, mark) != mark]
        return {
            "outputs": written,
            "mutated": mutated,
            "overrun": case.overrun(),
            "elapsed": elapsed,
            "threads": threading.active_count() - threads,
            "changed": self._changes(),
        }

    def _threads(self, question):
        """Computes with another number of threads from now on."""
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(question["count"])
        return {"before": before}

    def _together(self, question):
        """Calls the kernel in several threads at once, each on a slot of its own."""
        errors = []
        meet = threading.Barrier(len(self._slots))

        def work(case):
            try:
                for _ in range(question["rounds"]):
                    meet.wait(question["patience"])
                    case.candidate()
            except BaseException as error:  # noqa: B902 - it is raised again where it is heard
                errors.append(error)
                meet.abort()

        for case in self._slots:
            case.poison()
        workers = [threading.Thread(target=work, args=(case,)) for case in self._slots]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self._wait(question)
        # A barrier that others broke is no cause of anything.
        for error in sorted(errors, key=lambda error: isinstance(error, threading.BrokenBarrierError)):
            raise error
        return {"outputs": [_write(case.outputs(), file) for case, file in zip(self._slots, question["files"], strict=True)]}

    def _repeat(self, question):
        """Calls the kernel often and says how much memory the process holds before and after."""
        case = self._slots[question["slot"]]
        held = []
        for calls in (question["calls"] // 4, question["calls"]):
            for _ in range(calls):
                case.candidate()
            self._wait(question)
            held.append(clock.resident())
        return {"before": held[0], "after": held[1]}

    def _compare(self, question):
        """The reference in the kernel's own process, and the script's own comparison, for scripts that allow nothing else."""
        case = self._slots[question["slot"]]
        case.poison()
        case.candidate()
        outputs = _write(case.outputs(), question["file"])
        own = _write(case.reference(), question["own"])
        try:
            agrees = case.script_agrees()
        except Exception:  # noqa: B902 - a comparison that fails does not agree
            agrees = False
        return {"outputs": outputs, "own": own, "agrees": agrees}

    def _prove(self, question):
        """One observed call: which code of the variant ran, and which operators."""
        from . import observe

        case = self._slots[question["slot"]]
        return observe.observe(case.candidate, question["variant_path"])

    def _calibrate(self, question):
        """Warms both arms up until their times settle, and says how many calls fill a sample."""
        case = self._slots[0]
        wait = clock.waiter(question["device"])
        arms = {"candidate": case.candidate, "baseline": case.baseline}
        return {
            name: _settle(arms[name], wait, question["target"], question["warm"], question["limit"])
            for name in question["arms"]
        }

    def _blocks(self, question):
        """Paired samples in the order that the parent drew."""
        wait = clock.waiter(question["device"])
        counts = question["calls"]
        times, disturbed, written = [], [], []
        for block in question["blocks"]:
            case = self._slots[block["slot"]]
            if block.get("fill"):
                self._fill({"slot": block["slot"], "file": block["fill"]})
            if block.get("file"):
                case.poison()
            arms = [("baseline", case.baseline), ("candidate", case.candidate)]
            if block["candidate_first"]:
                arms.reverse()
            switched = clock.switches()
            taken = {name: clock.sample(call, counts[name], wait) / counts[name] for name, call in arms}
            disturbed.append(clock.switches() != switched)
            times.append([taken["baseline"], taken["candidate"]])
            if block.get("file"):
                written.append(_write(case.outputs(), block["file"]))
        return {"times": times, "preempted": disturbed, "outputs": written, "changed": self._changes()}

    def _solo(self, question):
        """The baseline alone, where no kernel was ever loaded."""
        wait = clock.waiter(question["device"])
        calls = question["calls"]
        # The slots in turn, so that caches see as much memory go by as in a paired measurement.
        turns = (self._slots[number % len(self._slots)] for number in range(question["samples"]))
        return {"times": [clock.sample(case.baseline, calls, wait) / calls for case in turns]}

    def _roof(self, question):
        """What the machine can do at most, measured where no kernel was ever loaded."""
        from . import roof

        device = question["device"]
        wait = clock.waiter(device)
        return {
            "copies": roof.copies(device, wait),
            "products": roof.products(question["types"], device, wait),
            "call": roof.call(device, wait),
        }

    def _run(self, question):
        """Calls the kernel and reads its output back; the parent holds the clock."""
        case = self._slots[question["slot"]]
        for _ in range(question["calls"]):
            case.candidate()
        for output in case.outputs():
            output.cpu()
        return {}

    def _bye(self, question):
        from . import loading

        path = question["variant_path"]
        return {
            "changed": self._changes(),
            "threads": threading.active_count(),
            "libraries": loading.mapped(path) if path else [],
            "modules": loading.modules(path) if path else [],
        }

    def _wait(self, question):
        clock.waiter(question["device"])()

    def _changes(self):
        from . import pristine

        if self._noted is None:
            return []
        return pristine.changes(self._noted, pristine.note())


def _write(outputs, path):
    from . import tensors

    with open(path, "wb") as file:
        for output in outputs:
            tensors.save(output, file)
    return [tensors.describe(str(index), output) for index, output in enumerate(outputs)]


def _settle(call, wait, target, warm, limit):
    """Calls until at least `warm` nanoseconds have passed and three windows agree, or `limit` is reached."""
    begin = clock.now()
    first = clock.sample(call, 1, wait)
    calls, windows = 1, []
    while clock.now() - begin < limit:
        taken = clock.sample(call, calls, wait)
        windows.append(taken / calls)
        if taken < target // 2:
            calls = min(calls * 2, max(1, int(calls * target / max(taken, 1)) + 1))
            continue
        last = windows[-3:]
        if clock.now() - begin >= warm and len(last) == 3 and max(last) < 1.05 * min(last):
            break
    best = min(windows[-9:], default=first)
    return {"first": first, "call": best, "calls": max(1, round(target / max(best, 1)))}


def _versions():
    from importlib import metadata

    versions = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in ("kernels", "torch", "apache-tvm-ffi", "jax", "numpy", "triton"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return versions
