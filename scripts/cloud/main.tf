# The first start of a build machine, as cloud-init reads it, for any cloud: it takes no provider, so that nothing has to
# be trusted or downloaded to look at it. Give the output `user_data` to the machine of your provider.

terraform {
  required_version = ">= 1.5"
}

variable "release" {
  description = "Address of the directory of a release of kernel-builder: https://"
  type        = string

  validation {
    condition     = can(regex("^https://[A-Za-z0-9._~:/%-]+$", var.release))
    error_message = "An address that begins with https:// and has no query is expected."
  }
}

variable "release_sha256" {
  description = "SHA-256 of the release's archive; null to believe the release's own list"
  type        = string
  default     = null

  validation {
    condition     = var.release_sha256 == null || can(regex("^[0-9a-f]{64}$", var.release_sha256))
    error_message = "64 hexadecimal digits are expected."
  }
}

variable "user" {
  description = "The user who builds"
  type        = string
  default     = "builder"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,30}$", var.user))
    error_message = "A name of lower-case letters, digits and hyphens is expected."
  }
}

variable "ssh_keys" {
  description = "Public keys that may log in"
  type        = list(string)
  default     = []
}

variable "python_packages" {
  description = "What the user's Python environment gets"
  type        = list(string)
  default     = ["torch", "kernels", "pytest", "numpy", "uv"]

  validation {
    condition     = alltrue([for name in var.python_packages : can(regex("^[A-Za-z0-9._=<>!~,-]+$", name))])
    error_message = "Names of packages are expected, with versions at most."
  }
}

locals {
  home    = "/home/${var.user}"
  hash    = var.release_sha256 == null ? "" : " --sha256 ${var.release_sha256}"
  install = "sh ${local.home}/install.sh --from ${var.release}${local.hash}"
}

output "user_data" {
  description = "The text for cloud-init"
  value = join("\n", ["#cloud-config", jsonencode({
    package_update = true
    packages       = ["bubblewrap", "ca-certificates", "curl", "g++", "git", "ninja-build", "python3-dev", "python3-venv"]
    users = [{
      name                = var.user
      shell               = "/bin/bash"
      ssh_authorized_keys = var.ssh_keys
    }]
    write_files = [{
      path        = "${local.home}/install.sh"
      content     = file("${path.module}/../install.sh")
      permissions = "0755"
    }]
    runcmd = [
      ["chown", "-R", "${var.user}:", local.home],
      ["su", "-", var.user, "-c", local.install],
      ["su", "-", var.user, "-c", "python3 -m venv environment && environment/bin/pip install ${join(" ", formatlist("'%s'", var.python_packages))}"],
      ["su", "-", var.user, "-c", ". environment/bin/activate && .local/bin/kernel-builder doctor"],
    ]
  })])
}
