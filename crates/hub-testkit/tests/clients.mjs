// What the published JavaScript client does with the Hub of the tests.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const hub = createRequire(`${process.env.NODE_ENVIRONMENT}/`)("@huggingface/hub");
const to = { repo: { type: "kernel", name: "acme/demo" }, accessToken: "hf_writer", hubUrl: process.env.HF_ENDPOINT };
const large = new Uint8Array(3 << 20).map((_, at) => at % 251);
const small = new Uint8Array(2000);
const files = {
  "build/torch-cpu/__init__.py": new TextEncoder().encode("VALUE = 42\n"),
  "build/torch-cpu/large.so": large,
  "build/torch-cpu/small.so": small,
};
for (let number = 0; number < 20; number++) {
  files[`build/torch-cpu/part${number}.py`] = new TextEncoder().encode(`NUMBER = ${number}\n`);
}

async function listed() {
  const found = [];
  for await (const entry of hub.listFiles({ ...to, recursive: true })) {
    if (entry.type === "file") found.push(entry.path);
  }
  return found.sort();
}

await hub.createRepo(to);
await assert.rejects(hub.createRepo(to), (error) => error.statusCode === 409);
const contents = Object.entries(files).map(([path, bytes]) => ({ path, content: new Blob([bytes]) }));
const made = await hub.uploadFiles({ ...to, files: contents, useXet: false });
assert.match(made.commit.oid, /^[0-9a-f]{40}$/);
assert.deepEqual(await listed(), Object.keys(files).sort());
for (const [path, bytes] of Object.entries(files)) {
  const blob = await hub.downloadFile({ ...to, path, xet: false });
  assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), bytes, path);
}
// On top of another commit than the head it is refused; on top of the head it is not.
const change = { ...to, title: "Change", operations: [{ operation: "delete", path: "build/torch-cpu/part0.py" }], useXet: false };
await assert.rejects(hub.commit({ ...change, parentCommit: "0".repeat(40) }), (error) => error.statusCode === 412);
await hub.commit({ ...change, parentCommit: made.commit.oid });
assert.equal((await listed()).length, Object.keys(files).length - 1);
// Whoever may not write may propose.
const outsider = { ...change, accessToken: "hf_outsider", operations: [{ operation: "delete", path: "build/torch-cpu/part1.py" }] };
await assert.rejects(hub.commit(outsider), (error) => error.statusCode === 403);
const proposed = await hub.commit({ ...outsider, isPullRequest: true });
assert.match(proposed.pullRequestUrl, /1$/);
assert.equal((await hub.whoAmI({ accessToken: "hf_writer", hubUrl: process.env.HF_ENDPOINT })).name, "writer");
console.log(`${Object.keys(files).length} files`);
