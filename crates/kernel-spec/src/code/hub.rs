//! Codes of the network and of the Hub.

codes! {
    /// The codes of the network.
    ALL;
    ADDRESS = "hub/address", Hub,
        means: "An address cannot be asked",
        example: "`HF_ENDPOINT=huggingface.co`, without `https://`",
        remedy: "Give an address that begins with https:// and names a host";
    INSECURE = "hub/insecure", Hub,
        means: "An address, or a redirect, would be asked without encryption",
        example: "`HF_ENDPOINT=http://hub.example.org`",
        remedy: "Use its https:// address; http:// is for this machine alone";
    OFFLINE = "hub/offline", Hub,
        means: "The network is needed, and was forbidden",
        example: "`kernel-builder upload --offline`",
        remedy: "Run it without `--offline`";
    PROXY = "hub/proxy", Hub,
        means: "The address of the proxy cannot be used",
        example: "`HTTPS_PROXY=proxy:port`",
        remedy: "Write it as http://host:port or https://host:port; a SOCKS proxy needs one of these before it";
    CERTIFICATES = "hub/certificates", Hub,
        means: "There are no certificates of authorities, so no server can be trusted",
        example: "a container without the package `ca-certificates`",
        remedy: "Install the system's `ca-certificates`, or name a file of PEM certificates in `SSL_CERT_FILE`";
    UNREACHABLE = "hub/unreachable", Hub,
        means: "A host cannot be reached, or breaks off each time",
        example: "`upload` without a network",
        remedy: "Check the network, the proxy (`HTTPS_PROXY`) and the address; then run the same command again";
    ANSWER = "hub/answer", Hub,
        means: "An answer cannot be used: too large, not what the protocol says, or redirecting without end",
        example: "an `HF_ENDPOINT` that answers with a web page",
        remedy: "Check that the address is that of the right service; if it is, tell its operators";
    CONTENT = "hub/content", Hub,
        means: "What was downloaded is not what it should be",
        example: "an archive with another SHA-256 than the recorded one",
        remedy: "Nothing was kept; if it happens again, the file was replaced there or something on the way changes it";
    RATE_LIMITED = "hub/rate-limited", Hub,
        means: "The server wants fewer requests, for longer than was waited",
        example: "the answer 429 again and again",
        remedy: "Wait a while and run the same command again; finished work is kept";
    SERVER_FAULT = "hub/server-fault", Hub,
        means: "The server failed, also when asked again",
        example: "the answer 500 eight times",
        remedy: "Run the same command again later, and name the request to the server's operators";
    REFUSED = "hub/refused", Hub,
        means: "The server refuses a request",
        example: "the answer 404 for an archive that was moved",
        remedy: "The server's own words say why";
    LOGIN = "hub/login", Hub,
        means: "The Hub wants to know who asks, and there is no token for it",
        example: "`upload` without `HF_TOKEN` and without a stored login",
        remedy: "Set `HF_TOKEN` to a token with the right that is needed, or run `hf auth login`; a stored token is only sent to the public Hub";
    TOKEN = "hub/token", Hub,
        means: "The Hub does not accept the token",
        example: "a token that was revoked, or is one of another Hub",
        remedy: "Make a new token with the right that is needed in the settings of your account";
    IDENTITY = "hub/identity", Environment,
        means: "Trusted publishing is asked for, and there is nothing to prove the job's identity with",
        example: "`HF_OIDC_RESOURCE=kernels/acme/relu` in a job without `id-token: write`",
        remedy: "Let the job ask for an identity, or give its token in `HF_OIDC_ID_TOKEN`";
    PUBLISHER = "hub/publisher", Hub,
        means: "The Hub gives the job no token: it is no trusted publisher of the repository",
        example: "`HF_OIDC_RESOURCE=kernels/acme/relu` in the workflow of a fork",
        remedy: "Name the workflow as a trusted publisher in the settings of the repository";
    PERMISSION = "hub/permission", Hub,
        means: "The user, or the token, may not publish there, or may not read it",
        example: "`upload --repo-id acme/relu` by somebody who is no member of `acme`",
        remedy: "Ask the owners for the right, and check the token's; a change can be proposed with `--create-pr`";
    NAMESPACE = "hub/namespace", Hub,
        means: "There is no user or organization of that name",
        example: "`upload --repo-id amce/relu`, where `acme/relu` was meant",
        remedy: "Check the part before the slash, or create the organization first";
    REPOSITORY = "hub/repository", Hub,
        means: "A repository does not exist, or may not be seen",
        example: "`upload --create-pr` to a repository that nobody made",
        remedy: "Check the name, and that the token may read it";
    CHANGED = "hub/changed", Hub,
        means: "A file changed while it was uploaded",
        example: "a build that replaces a variant during `upload`",
        remedy: "Let nothing write there meanwhile, and run the same command again";
    CONTENDED = "hub/contended", Hub,
        means: "Others change a branch faster than it can be brought up to date",
        example: "many jobs that upload to one branch at once",
        remedy: "Run the same command again when the other uploads have ended";
    NOT_KEPT = "hub/not-kept", Hub,
        means: "The Hub said that it had made a commit, and the branch does not hold what was in it",
        example: "a service behind `HF_ENDPOINT` that answers every request with success",
        remedy: "Look at the branch there, and run the same command again; if it stays so, tell the operators";
    CARD = "hub/card", Hub,
        means: "The version is published, and the card on `main` could not be written",
        example: "an `upload` by somebody whom the Hub lets write to `v1`, and not to `main`",
        remedy: "Run the same command again when the cause is gone: what is published is not sent again";
    LEFT_OVER = "hub/left-over", Hub,
        means: "The version is published, and the branch on which it was prepared could not be removed",
        example: "a Hub that refuses to delete branches",
        remedy: "Delete the branch by hand, or leave it: nothing reads it";
    SLOW = "hub/slow", Hub,
        means: "An answer comes so slowly that it would not end: less than 1 kB/s on average after its first minute",
        example: "a broken proxy that hands on one byte at a time",
        remedy: "Run the same command again; if it stays so, look at what is between here and there";
}
