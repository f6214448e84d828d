# A path of the store as a value that derivations can depend on. Unlike `builtins.storePath`, flakes may do it too.
path:
let
  plain = builtins.unsafeDiscardStringContext path;
in
builtins.appendContext plain { ${plain}.path = true; }
