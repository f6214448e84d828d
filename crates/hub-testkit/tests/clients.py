"""What the published clients do with the Hub of the tests; one function for each test of `clients.rs`."""

import base64
import hashlib
import json
import os
import pathlib
import sys
import tempfile

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HfHubHTTPError

KIND = {"repo_type": "kernel"}
WRITER = HfApi(token="hf_writer")


def folder(large=3 << 20):
    root = pathlib.Path(tempfile.mkdtemp())
    variant = root / "build" / "torch-cpu"
    variant.mkdir(parents=True)
    (variant / "__init__.py").write_text("VALUE = 42\n")
    (variant / "empty.py").write_text("")
    (variant / "large.so").write_bytes(bytes(range(256)) * (large // 256))
    (variant / "small.so").write_bytes(b"\0" * 1000)
    for number in range(20):
        (variant / f"part{number}.py").write_text(f"NUMBER = {number}\n")
    return root


def tree(root):
    root = pathlib.Path(root)
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def refused(status, call):
    try:
        call()
    except HfHubHTTPError as error:
        assert error.response.status_code == status, error
        return str(error)
    raise AssertionError(f"{status} was expected")


def uploads():
    root = folder()
    (root / "build/torch-cpu/old.py").write_text("old")
    WRITER.create_repo("acme/demo", **KIND)
    WRITER.create_repo("acme/demo", exist_ok=True, **KIND)
    WRITER.create_branch("acme/demo", branch="v1", **KIND)
    WRITER.upload_folder(repo_id="acme/demo", folder_path=root, revision="v1", **KIND)
    (root / "build/torch-cpu/old.py").unlink()
    arguments = {"repo_id": "acme/demo", "folder_path": root, "revision": "v1", "delete_patterns": "*", **KIND}
    WRITER.upload_folder(**arguments)
    WRITER.upload_folder(**arguments)
    refs = WRITER.list_repo_refs("acme/demo", **KIND)
    assert [branch.name for branch in refs.branches] == ["main", "v1"], refs
    listed = {entry.path for entry in WRITER.list_repo_tree("acme/demo", revision="v1", recursive=True, **KIND)}
    assert set(tree(root)) | {"build", "build/torch-cpu"} == listed, listed
    copy = snapshot_download("acme/demo", revision="v1", local_dir=tempfile.mkdtemp(), token="hf_writer", **KIND)
    found = {path: content for path, content in tree(copy).items() if not path.startswith(".cache/")}
    assert found == tree(root), sorted(found)


def rules():
    root = folder(1000)
    WRITER.create_repo("acme/demo", **KIND)
    arguments = {"repo_id": "acme/demo", "folder_path": root, **KIND}
    outsider = HfApi(token="hf_outsider")
    refused(403, lambda: outsider.upload_folder(**arguments))
    refused(403, lambda: outsider.create_repo("acme/other", **KIND))
    refused(403, lambda: HfApi(token="hf_readonly").upload_folder(**arguments))
    refused(401, lambda: HfApi(token="hf_nobody").whoami())
    refused(409, lambda: WRITER.create_repo("acme/demo", **KIND))
    assert [org["name"] for org in WRITER.whoami()["orgs"]] == ["acme", "untrusted"]
    change = outsider.upload_folder(**arguments, create_pr=True)
    assert change.pr_revision == "refs/pr/1", change
    head = WRITER.list_repo_refs("acme/demo", **KIND).branches[0].target_commit
    assert not WRITER.file_exists("acme/demo", "build/torch-cpu/__init__.py", **KIND)
    assert WRITER.file_exists("acme/demo", "build/torch-cpu/__init__.py", revision="refs/pr/1", **KIND)
    stale = dict(arguments, parent_commit="0" * 40)
    assert "A commit has happened since" in refused(412, lambda: WRITER.upload_folder(**stale))
    assert WRITER.list_repo_refs("acme/demo", **KIND).branches[0].target_commit == head
    WRITER.create_repo("acme/hidden", private=True, **KIND)
    assert HfApi(token="hf_reader").kernel_info("acme/hidden").id == "acme/hidden"
    refused(404, lambda: outsider.kernel_info("acme/hidden"))
    refused(401, lambda: HfApi(token=False).kernel_info("acme/hidden"))
    refused(404, lambda: WRITER.list_repo_refs("acme/none", **KIND))


def faults():
    WRITER.create_repo("acme/demo", **KIND)
    arguments = {"repo_id": "acme/demo", "folder_path": folder(), **KIND}
    try:
        WRITER.upload_folder(**arguments)
    except Exception:
        WRITER.upload_folder(**arguments)
    else:
        raise AssertionError("the answer to the commit was lost")


def publish(repository):
    root = folder(1000)
    variant = root / "build/torch-cpu"
    files = {str(path.relative_to(variant)): path.read_bytes() for path in variant.iterdir()}
    digest = {name: base64.b64encode(hashlib.sha256(data).digest()).decode() for name, data in files.items()}
    metadata = {
        "name": "demo", "id": "_demo_cpu_abcdefghijklm", "version": 1, "license": "Apache-2.0",
        "python-depends": [], "backend": {"type": "cpu"}, "digest": {"algorithm": "sha256", "files": digest},
    }
    (variant / "metadata.json").write_text(json.dumps(metadata))
    WRITER.create_repo(repository, **KIND)
    WRITER.create_branch(repository, branch="v1", **KIND)
    WRITER.upload_folder(repo_id=repository, folder_path=root, revision="v1", **KIND)


def creates():
    WRITER.create_repo("acme/demo", **KIND)


def exchanges():
    # The client finds the variables by itself, exchanges the identity, and writes to that one repository.
    WRITER.create_repo("acme/demo", **KIND)
    WRITER.create_repo("acme/other", **KIND)
    api = HfApi()
    arguments = {"folder_path": folder(1000), **KIND}
    api.upload_folder(repo_id="acme/demo", **arguments)
    assert api.file_exists("acme/demo", "build/torch-cpu/__init__.py", **KIND)
    refused(403, lambda: api.upload_folder(repo_id="acme/other", **arguments))
    from huggingface_hub._oidc import exchange_oidc_token

    token = os.environ["HF_OIDC_ID_TOKEN"]
    refused(400, lambda: exchange_oidc_token(subject_token=token, resource="kernels/acme/other"))
    refused(400, lambda: exchange_oidc_token(subject_token="a.b.c", resource="kernels/acme/demo"))


def loads():
    from kernels import get_kernel, has_kernel

    os.environ["HF_TOKEN"] = "hf_reader"
    publish("acme/demo")
    publish("untrusted/demo")
    assert get_kernel("acme/demo", version=1, backend="cpu").VALUE == 42
    assert has_kernel("acme/demo", version=1, backend="cpu")
    try:
        get_kernel("untrusted/demo", version=1, backend="cpu")
    except Exception as error:
        assert "trusted publisher" in str(error), error
    else:
        raise AssertionError("nobody trusts this publisher")
    assert get_kernel("untrusted/demo", version=1, backend="cpu", trust_remote_code=True).VALUE == 42
    try:
        get_kernel("acme/demo", version=9, backend="cpu")
    except Exception as error:
        assert "Version 9 not found, available versions: 1" in str(error), error


globals()[sys.argv[1]]()
