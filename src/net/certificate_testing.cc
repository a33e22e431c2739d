#include "net/certificate_testing.h"

#include <memory>

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "net/url.h"

namespace cadre::net {
namespace {

constexpr long kSecondsPerDay = 86'400;
constexpr long kVersion3 = 2;

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string KeyText(EVP_PKEY* key, const char* pass_phrase) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(bio, key, pass_phrase != nullptr ? EVP_aes_128_cbc() : nullptr, pass_phrase,
                                pass_phrase != nullptr ? 4 : 0, nullptr, nullptr);
  return Text(bio);
}

EVP_PKEY* ReadKey(const std::string& text) {
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  CADRE_ASSERT(key != nullptr, "not a key");
  return key;
}

X509* ReadCertificate(const std::string& text) {
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  CADRE_ASSERT(certificate != nullptr, "not a certificate");
  return certificate;
}

void Extend(X509* certificate, int extension, const std::string& value) {
  X509_EXTENSION* made = X509V3_EXT_conf_nid(nullptr, nullptr, extension, value.c_str());
  CADRE_ASSERT(made != nullptr, "OpenSSL does not take the extension");
  X509_add_ext(certificate, made, -1);
  X509_EXTENSION_free(made);
}

X509* NewCertificate(EVP_PKEY* key, const std::string& name, int days) {
  static long serial = 0;
  X509* certificate = X509_new();
  X509_set_version(certificate, kVersion3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -30 * kSecondsPerDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate), days * kSecondsPerDay);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_pubkey(certificate, key);
  return certificate;
}

TestCertificate Finish(X509* certificate, EVP_PKEY* key, EVP_PKEY* signer) {
  const int size = X509_sign(certificate, signer, EVP_sha256());
  CADRE_ASSERT(size > 0, "the certificate cannot be signed");
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, certificate);
  TestCertificate made{Text(bio), KeyText(key, nullptr)};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return made;
}

}  // namespace

TestCertificate MakeTestAuthority(const std::string& name) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = NewCertificate(key, name, 1);
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  Extend(certificate, NID_basic_constraints, "critical,CA:TRUE");
  Extend(certificate, NID_key_usage, "critical,keyCertSign,digitalSignature");
  return Finish(certificate, key, key);
}

TestCertificate MakeTestCertificate(const TestCertificate& authority, const std::vector<std::string>& names,
                                    int days) {
  EVP_PKEY* signer = ReadKey(authority.key);
  X509* issuer = ReadCertificate(authority.certificate);
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = NewCertificate(key, "test peer", days);
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  std::string alternatives;
  for (const std::string& name : names)
    alternatives +=
        (alternatives.empty() ? "" : ",") + std::string(IsIpAddress(name) ? "IP:" : "DNS:") + name;
  if (!alternatives.empty()) Extend(certificate, NID_subject_alt_name, alternatives);
  Extend(certificate, NID_ext_key_usage, "serverAuth,clientAuth");
  TestCertificate made = Finish(certificate, key, signer);
  X509_free(issuer);
  EVP_PKEY_free(signer);
  return made;
}

std::string ProtectTestKey(const std::string& key) {
  EVP_PKEY* read = ReadKey(key);
  std::string text = KeyText(read, "pass");
  EVP_PKEY_free(read);
  return text;
}

}  // namespace cadre::net
