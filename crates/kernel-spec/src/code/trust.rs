//! Codes of signatures: what cannot be signed, and why a published kernel is not trusted.

codes! {
    /// The codes of signatures.
    ALL;
    AUTHORITIES = "trust/authorities", Usage,
        means: "The description of the certificate authorities and logs to trust cannot be used",
        example: "`verify --trust-config FILE` with a file that is no trust configuration of Sigstore",
        remedy: "Give a client trust configuration or a trusted root of Sigstore, or leave the option out";
    POLICY = "trust/policy", Usage,
        means: "The policy, which says who may sign, cannot be used",
        example: "a policy without `repository-id`",
        remedy: "Write what the message names; `docs/guide/trust.md` has an example";
    IDENTITY_TOKEN = "trust/identity-token", Environment,
        means: "There is nothing to prove the signer's identity with",
        example: "`sign` on a laptop, outside any CI job",
        remedy: "Sign in a CI job that may ask for an identity token, or give one with `--identity-token`";
    NOT_SIGNED = "trust/not-signed", Hub,
        means: "The certificate authority or the log did not do its part",
        example: "an identity token made out to another audience than `sigstore`",
        remedy: "The message has the service's own reason; nothing was changed";
    UNFIT = "trust/unfit", Check,
        means: "The built variants are not fit to be signed",
        example: "a variant in which a file was edited after the build",
        remedy: "Mend what the findings name; nothing was signed";
    HALF_SIGNED = "trust/half-signed", Environment,
        means: "Some variants of a set got their signatures, and then one could not be written",
        example: "a variant whose directory the user of the command may not write",
        remedy: "Mend what the cause names and run `sign` again; until then `verify` and `upload` refuse the set";
    NO_POLICY = "trust/no-policy", NothingVerified,
        means: "The signature is sound, and nobody said whose signature counts",
        example: "`verify` without `--policy`",
        remedy: "Give a policy with `--policy FILE`; anybody can make a sound signature";
    UNSIGNED = "trust/unsigned", Check,
        means: "A variant has no signature",
        example: "a variant that was uploaded without `sign`",
        remedy: "Sign it with `kernel-builder sign`, or ask its publisher to";
    BUNDLE = "trust/bundle", Check,
        means: "The file of a signature is not a bundle that can be verified",
        example: "a `metadata.json.sigstore` that was cut off, or has two log entries",
        remedy: "Get the file again; if it stays so, do not use the variant";
    OTHER_CONTENT = "trust/other-content", Check,
        means: "The signature is of other content: it was replayed, or the metadata were changed after signing",
        example: "the `metadata.json.sigstore` of another variant",
        remedy: "Do not use the variant; its publisher has to sign what is there";
    SIGNATURE = "trust/signature", Check,
        means: "The signature was not made with the key of the certificate",
        example: "a bundle in which one byte of the signature was changed",
        remedy: "Do not use the variant";
    CERTIFICATE = "trust/certificate", Check,
        means: "The signer's certificate was not given out by a trusted authority, or not for the time of signing",
        example: "a certificate of a private authority, verified without its `--trust-config`",
        remedy: "Do not use the variant, unless you trust that authority and name it with `--trust-config`";
    LOG = "trust/log", Check,
        means: "It is not proven that the signature stands in the public log, or when it was entered",
        example: "a bundle whose time of entry was changed",
        remedy: "Do not use the variant";
    ISSUER = "trust/issuer", Check,
        means: "Another than the demanded service vouched for the signer",
        example: "a person's certificate where a workflow's is demanded",
        remedy: "Do not use the variant, unless the policy is wrong";
    REPOSITORY = "trust/repository", Check,
        means: "The signer's workflow ran in another repository, such as a fork",
        example: "a certificate of a fork of the same name, whose repository has another number",
        remedy: "Do not use the variant, unless the policy is wrong";
    WORKFLOW = "trust/workflow", Check,
        means: "Another workflow signed than the one that may",
        example: "a certificate of `test.yaml` where `publish.yaml` is demanded",
        remedy: "Do not use the variant, unless the policy is wrong";
    REF = "trust/ref", Check,
        means: "The signer's workflow built another branch or tag",
        example: "a certificate for `refs/heads/experiment` where `refs/heads/main` is demanded",
        remedy: "Do not use the variant, unless the policy is wrong";
    TRIGGER = "trust/trigger", Check,
        means: "An event started the signer's workflow that must not",
        example: "a certificate of a run for a pull request, which anybody can open",
        remedy: "Do not use the variant, unless the policy is wrong";
    RUNNER = "trust/runner", Check,
        means: "The signer's workflow ran on a machine of another kind than demanded",
        example: "a certificate of a self-hosted runner",
        remedy: "Do not use the variant, unless the policy is wrong";
    COMMIT = "trust/commit", Check,
        means: "The metadata and the signer's certificate speak of different sources",
        example: "metadata of yesterday's commit, signed by a run for today's",
        remedy: "Do not use the variant; its publisher has to build and sign in one run";
    NO_PLACE = "trust/no-place", Check,
        means: "What is signed does not say which repository, branch and variant it is for, so it would fit anywhere",
        example: "a variant that was signed by hand, and not by `kernel-builder sign`",
        remedy: "Have it signed by `kernel-builder sign`; `--allow-unplaced` accepts it all the same";
    SLOT = "trust/slot", Check,
        means: "A signed variant lies under the name of another",
        example: "the CPU variant of a kernel, copied over its CUDA variant",
        remedy: "Do not use the variant";
    PLACE = "trust/place", Check,
        means: "A signed variant lies in another repository or on another branch than it was signed for",
        example: "version 1 of a kernel, copied to the branch of version 2",
        remedy: "Do not use the variant; a publisher signs again for the new place with `kernel-builder sign`";
    SET = "trust/set", Check,
        means: "The statement about what was signed together is missing, or does not speak of this variant",
        example: "a variant whose `provenance/….sigstore.json` was left out",
        remedy: "Do not use the variant; a publisher signs again with `kernel-builder sign`";
    MIXED = "trust/mixed", Check,
        means: "The variants are of several commits",
        example: "an older variant put back beside newer ones",
        remedy: "Do not use them together; `--allow-mixed` accepts them all the same";
    OLDER = "trust/older", Check,
        means: "A newer set was seen here before, or another of the same second: this may be an older one, served as if it were the newest",
        example: "a branch that was reset to last month's commit",
        remedy: "Do not use the variants; if the publisher withdrew the newer ones, `--forget` accepts the older again";
    MEMORY = "trust/memory", Unreadable,
        means: "What was verified here before cannot be read, so it is not known whether a set is older than the newest that was seen",
        example: "a file in `~/.local/state/kernel-builder/seen` that was cut off",
        remedy: "Put the file back, or remove it if you accept that an older set is not noticed";
    AGE = "trust/age", Check,
        means: "The set was signed longer ago than `--max-age` allows",
        example: "`verify --max-age 30d` of a set of last year",
        remedy: "Look for a newer version, or allow a higher age";
    REBUILD = "trust/rebuild", Check,
        means: "Building a variant again from its sources gave other bytes than those that were signed",
        example: "`verify --rebuild SOURCES` of a library that holds more than its sources say",
        remedy: "Look at the causes: other sources or another toolchain explain it; where both are the same, do not use the variant";
    SOURCES = "trust/sources", Check,
        means: "The sources of what was signed cannot be fetched, or are not where they should be",
        example: "`verify --rebuild` of a kernel whose repository is private",
        remedy: "Look at the cause; `--sources DIR` builds from a checkout of your own";
    HISTORY = "trust/history", Check,
        means: "The commit that was signed is not in the history of the ref that the policy names, such as one of a fork only",
        example: "a commit of a fork, which its parent's address serves too",
        remedy: "Do not use the variant: nobody merged what it was built from, or the ref was rewritten since";
    DEPENDENCY = "trust/dependency", Check,
        means: "A kernel that this one loads is not verified",
        example: "a dependency whose files were replaced, or whose publisher no policy names",
        remedy: "Do not use the kernel; if the dependency's publisher is only unknown, name its policy with `--dependency-policy`";
    LOOK_ALIKE = "trust/look-alike", Check,
        means: "The publisher's name could be taken for that of a known one",
        example: "`kernels-comunity/relu`, where `kernels-community/relu` is meant",
        remedy: "Check the name letter by letter; if it is meant, name it in `publishes` of the policy";
    STRAY = "trust/stray", Check,
        means: "A variant holds a file that its signed digest does not cover",
        example: "`__pycache__/__init__.cpython-311.pyc` beside a valid digest: Python would run it",
        remedy: "Do not use the variant; remove the file if your own Python left it there";
    LINK = "trust/link", Check,
        means: "A variant holds a link, which can lead anywhere later",
        example: "`data.bin` that is a symbolic link to a file of the same content",
        remedy: "Do not use the variant; published variants hold regular files only";
}
