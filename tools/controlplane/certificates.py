"""A certificate authority for one control plane, with what its programs and users need; made by openssl."""
import pathlib
import subprocess

DAYS = "30"


def openssl(*arguments, cwd):
    done = subprocess.run(["openssl", *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(arguments)}: {done.stderr.strip()}")


class Authority:
    """Writes NAME.crt and NAME.key into a folder; the authority's own are ca.crt and ca.key."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._key("ca")
        openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=cadre-test-ca", "-days", DAYS,
                "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature", "-out", "ca.crt", cwd=self.folder)

    def _key(self, name):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key", cwd=self.folder)

    def _issue(self, name, subject, extensions):
        self._key(name)
        openssl("req", "-new", "-key", f"{name}.key", "-subj", subject, "-out", f"{name}.csr", cwd=self.folder)
        (self.folder / f"{name}.ext").write_text(extensions, encoding="utf-8")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", DAYS, "-extfile", f"{name}.ext", "-out", f"{name}.crt", cwd=self.folder)

    def server(self, name):
        """For a server on loopback."""
        self._issue(name, f"/CN={name}",
                    "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default\n"
                    "extendedKeyUsage=serverAuth\n")

    def client(self, name, user, group=None):
        """For a user of the API: the subject's CN is its name, its O its group."""
        subject = (f"/O={group}" if group else "") + f"/CN={user}"
        self._issue(name, subject, "extendedKeyUsage=clientAuth\n")

    def key_pair(self, name):
        """A bare key pair, NAME.key and NAME.pub: what service account tokens are signed with."""
        openssl("genrsa", "-out", f"{name}.key", "2048", cwd=self.folder)
        openssl("rsa", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub", cwd=self.folder)
