#include "net/tls_context.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "base/text.h"
#include "net/url.h"

namespace cadre::net {
namespace {

constexpr std::size_t kMostPemBytes = std::size_t{1} << 20;
constexpr std::string_view kHttp2OnWire = "\x02h2";

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Connection = std::unique_ptr<SSL, Freer<SSL_free>>;

// The first error of OpenSSL's queue of this thread, which is emptied.
std::string OpenSslError() {
  const unsigned long code = ERR_peek_error();
  ERR_clear_error();
  std::array<char, 256> text{};
  if (code == 0) return "unknown reason";
  if (const char* reason = ERR_reason_error_string(code); reason != nullptr) return reason;
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

// Without this OpenSSL would ask for the pass phrase on the terminal.
int RefusePassPhrase(char* /*buffer*/, int /*size*/, int /*is_write*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

// A source's PEM text, and the words that name it in messages.
struct Pem {
  std::string name;
  std::string text;
};

Result<Pem> Read(const PemSource& source, std::string_view what) {
  if (!source.text.empty()) {
    if (source.text.size() > kMostPemBytes)
      return Err("{}: larger than {}, which is the limit", what, FormatBytes(kMostPemBytes));
    return Pem{std::string(what), source.text};
  }
  Pem pem{fmt::format("{} (file \"{}\")", what, source.file), {}};
  errno = 0;
  std::ifstream file(source.file, std::ios::binary);
  if (!file) return Err("{}: cannot be opened: {}", pem.name, std::strerror(errno));
  pem.text.resize(kMostPemBytes + 1);
  file.read(pem.text.data(), static_cast<std::streamsize>(pem.text.size()));
  if (file.bad() || file.gcount() == 0) return Err("{}: cannot be read, or is empty", pem.name);
  pem.text.resize(static_cast<std::size_t>(file.gcount()));
  if (pem.text.size() > kMostPemBytes)
    return Err("{}: larger than {}, which is the limit", pem.name, FormatBytes(kMostPemBytes));
  return pem;
}

Bio Reader(const Pem& pem) {
  Bio bio(BIO_new_mem_buf(pem.text.data(), static_cast<int>(pem.text.size())));
  CADRE_ASSERT(bio != nullptr, "out of memory");
  return bio;
}

Result<std::vector<Certificate>> ReadCertificates(const Pem& pem) {
  ERR_clear_error();
  const Bio bio = Reader(pem);
  std::vector<Certificate> certificates;
  bool asked = false;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, RefusePassPhrase, &asked))
    certificates.emplace_back(certificate);
  const unsigned long error = ERR_peek_last_error();
  const bool at_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!at_end)
    return Err("{}: certificate {} is broken: {}", pem.name, certificates.size() + 1, OpenSslError());
  ERR_clear_error();
  if (certificates.empty())
    return Err("{}: holds no certificate, expected PEM text (\"-----BEGIN CERTIFICATE-----\")", pem.name);
  return certificates;
}

Result<void> Trust(SSL_CTX* context, const PemSource& source, std::string_view what) {
  CADRE_TRY(const Pem pem, Read(source, what));
  CADRE_TRY(const std::vector<Certificate> certificates, ReadCertificates(pem));
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const Certificate& certificate : certificates) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1)
      return Err("{}: cannot be used: {}", pem.name, OpenSslError());
  }
  // A chain may end at any certificate of the bundle, as in client-go: some bundles hold no root.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return {};
}

Result<void> UseCertificate(SSL_CTX* context, const PemSource& source, std::string_view what) {
  CADRE_TRY(const Pem pem, Read(source, what));
  CADRE_TRY(const std::vector<Certificate> chain, ReadCertificates(pem));
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1)
    return Err("{}: cannot be used: {}", pem.name, OpenSslError());
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1)
      return Err("{}: certificate {} cannot be used: {}", pem.name, i + 1, OpenSslError());
  }
  return {};
}

Result<void> UseKey(SSL_CTX* context, const PemSource& source, std::string_view what) {
  CADRE_TRY(const Pem pem, Read(source, what));
  ERR_clear_error();
  const Bio bio = Reader(pem);
  bool asked = false;
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, RefusePassPhrase, &asked));
  if (asked) {
    ERR_clear_error();
    return Err("{}: is protected by a pass phrase, which cannot be asked for here: store it without",
               pem.name);
  }
  if (key == nullptr) return Err("{}: holds no private key in PEM form: {}", pem.name, OpenSslError());
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return Err("{}: does not belong to the certificate: {}", pem.name, OpenSslError());
  return {};
}

Result<void> Identify(SSL_CTX* context, const PemSource& certificate, const PemSource& key,
                      std::string_view whose) {
  const std::string certificate_name = fmt::format("{} certificate", whose);
  const std::string key_name = fmt::format("{} key", whose);
  if (certificate.empty()) return Err("{}: is missing", certificate_name);
  if (key.empty()) return Err("{}: is missing", key_name);
  CADRE_TRY_VOID(UseCertificate(context, certificate, certificate_name));
  return UseKey(context, key, key_name);
}

SSL_CTX* NewContext(const SSL_METHOD* method) {
  SSL_CTX* context = SSL_CTX_new(method);
  CADRE_ASSERT(context != nullptr, "OpenSSL cannot be initialised");
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Buffers only while they hold something (a server has many idle connections); and the buffer of a write
  // that is tried again may have moved.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_ENABLE_PARTIAL_WRITE);
  return context;
}

int SelectProtocol(SSL* /*connection*/, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned int offered_size, void* ours) {
  const auto& wire = *static_cast<const std::string*>(ours);
  unsigned char* selected = nullptr;
  const int result =
      SSL_select_next_proto(&selected, out_size, reinterpret_cast<const unsigned char*>(wire.data()),
                            static_cast<unsigned int>(wire.size()), offered, offered_size);
  *out = selected;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

Result<std::shared_ptr<const TlsContext>> TlsContext::ForClient(const ClientTlsOptions& options) {
  std::shared_ptr<TlsContext> made(new TlsContext(NewContext(TLS_client_method())));
  SSL_CTX* context = made->context_;
  made->server_name_ = options.server_name;
  made->verifies_host_ = !options.insecure;
  SSL_CTX_set_verify(context, options.insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (options.insecure && !options.ca.empty())
    return Err("certificate authority: has no effect on an insecure connection; leave one of the two out");
  if (!options.ca.empty()) {
    CADRE_TRY_VOID(Trust(context, options.ca, "certificate authority"));
  } else if (!options.insecure && SSL_CTX_set_default_verify_paths(context) != 1) {
    return Err("certificate authority: not given, and the system's cannot be loaded: {}", OpenSslError());
  }
  if (!options.certificate.empty() || !options.key.empty())
    CADRE_TRY_VOID(Identify(context, options.certificate, options.key, "client"));
  // Returns 0 for success, unlike the rest of OpenSSL.
  const int failed =
      SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(kHttp2OnWire.data()),
                              static_cast<unsigned int>(kHttp2OnWire.size()));
  CADRE_ASSERT(failed == 0, "out of memory");
  return made;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::ForServer(const ServerTlsOptions& options) {
  std::shared_ptr<TlsContext> made(new TlsContext(NewContext(TLS_server_method())));
  SSL_CTX* context = made->context_;
  CADRE_TRY_VOID(Identify(context, options.certificate, options.key, "server"));
  if (!options.client_ca.empty()) {
    CADRE_TRY_VOID(Trust(context, options.client_ca, "client certificate authority"));
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  for (const std::string& protocol : options.protocols) {
    CADRE_ASSERT(!protocol.empty() && protocol.size() < 256, "the name of a protocol has 1 to 255 bytes");
    made->protocols_on_wire_ += static_cast<char>(protocol.size());
    made->protocols_on_wire_ += protocol;
  }
  if (!made->protocols_on_wire_.empty())
    SSL_CTX_set_alpn_select_cb(context, SelectProtocol, &made->protocols_on_wire_);
  return made;
}

ssl_st* TlsContext::NewConnection(const std::string& host) const {
  Connection connection(SSL_new(context_));
  if (connection == nullptr || SSL_is_server(connection.get()) == 1) return connection.release();
  const std::string& name = server_name_.empty() ? host : server_name_;
  const bool is_address = IsIpAddress(name);
  if (!is_address && SSL_set_tlsext_host_name(connection.get(), name.c_str()) != 1) return nullptr;
  if (verifies_host_) {
    // Only the alternative names count, as for Go: the subject's common name does not.
    X509_VERIFY_PARAM* verify = SSL_get0_param(connection.get());
    X509_VERIFY_PARAM_set_hostflags(
        verify, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    const int set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(verify, name.c_str())
                               : X509_VERIFY_PARAM_set1_host(verify, name.data(), name.size());
    if (set != 1) return nullptr;
  }
  return connection.release();
}

std::string_view AgreedProtocol(const ssl_st* connection) {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(connection, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string UntrustedReason(const ssl_st* connection) {
  const long result = SSL_get_verify_result(connection);
  return result == X509_V_OK ? "" : X509_verify_cert_error_string(result);
}

}  // namespace cadre::net
