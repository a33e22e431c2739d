#include "net/tls_context.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/certificate_testing.h"

namespace cadre::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string ErrorOf(const ClientTlsOptions& options) {
  const auto context = TlsContext::ForClient(options);
  return context ? "no error" : context.error().message;
}

class TlsContextOptions : public testing::Test {
 protected:
  const TestCertificate authority_ = MakeTestAuthority();
  const TestCertificate client_ = MakeTestCertificate(authority_, {"client"});
  ClientTlsOptions options_{
      {authority_.certificate, ""}, {client_.certificate, ""}, {client_.key, ""}, "", false};
};

TEST_F(TlsContextOptions, MayBeLeftOut) {
  EXPECT_EQ(ErrorOf({}), "no error");
}

TEST_F(TlsContextOptions, AreTakenAsText) {
  EXPECT_EQ(ErrorOf(options_), "no error");
}

TEST_F(TlsContextOptions, AreTakenFromFiles) {
  const std::string path = testing::TempDir() + "tls_context_test_ca.pem";
  std::ofstream(path) << authority_.certificate;
  options_.ca = {"", path};
  EXPECT_EQ(ErrorOf(options_), "no error");
  std::filesystem::remove(path);
}

TEST_F(TlsContextOptions, MayHoldSeveralAuthorities) {
  options_.ca.text += MakeTestAuthority("second").certificate;
  EXPECT_EQ(ErrorOf(options_), "no error");
}

TEST_F(TlsContextOptions, NameAFileThatIsMissing) {
  options_.ca = {"", "/nowhere/ca.crt"};
  EXPECT_THAT(ErrorOf(options_), AllOf(HasSubstr("certificate authority"), HasSubstr("/nowhere/ca.crt"),
                                       HasSubstr("No such file")));
}

TEST_F(TlsContextOptions, SayWhenABundleHoldsNoCertificate) {
  options_.ca.text = "not PEM";
  EXPECT_THAT(ErrorOf(options_), AllOf(HasSubstr("certificate authority"), HasSubstr("no certificate")));
}

TEST_F(TlsContextOptions, SayWhichCertificateOfABundleIsBroken) {
  options_.ca.text += "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  EXPECT_THAT(ErrorOf(options_), HasSubstr("certificate 2 is broken"));
}

TEST_F(TlsContextOptions, RefuseAKeyOfAnotherCertificate) {
  options_.key.text = MakeTestCertificate(authority_, {"other"}).key;
  EXPECT_THAT(ErrorOf(options_), AllOf(HasSubstr("client key"), HasSubstr("does not belong")));
}

TEST_F(TlsContextOptions, RefuseAKeyWithAPassPhraseInsteadOfAskingForIt) {
  options_.key.text = ProtectTestKey(client_.key);
  EXPECT_THAT(ErrorOf(options_), AllOf(HasSubstr("client key"), HasSubstr("pass phrase")));
}

TEST_F(TlsContextOptions, RefuseACertificateWithoutItsKey) {
  options_.key = {};
  EXPECT_THAT(ErrorOf(options_), HasSubstr("client key: is missing"));
}

TEST_F(TlsContextOptions, RefuseAKeyWithoutItsCertificate) {
  options_.certificate = {};
  EXPECT_THAT(ErrorOf(options_), HasSubstr("client certificate: is missing"));
}

TEST_F(TlsContextOptions, RefuseAnAuthorityThatInsecureWouldHide) {
  options_.insecure = true;
  EXPECT_THAT(ErrorOf(options_), HasSubstr("certificate authority"));
}

TEST_F(TlsContextOptions, OfAServerMustNameItsCertificate) {
  const auto context = TlsContext::ForServer({});
  ASSERT_FALSE(context);
  EXPECT_THAT(context.error().message, HasSubstr("server certificate"));
}

}  // namespace
}  // namespace cadre::net
