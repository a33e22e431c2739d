// Certificates for tests, made when they run: nothing that expires lies in the tree.
#pragma once

#include <string>
#include <vector>

namespace cadre::net {

struct TestCertificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

// A certificate authority that signed itself.
TestCertificate MakeTestAuthority(const std::string& name = "test authority");

// A certificate for a server (`names`: DNS names and IP addresses) and a client alike, signed by `authority`.
// `days` from now, negative for one that has expired.
TestCertificate MakeTestCertificate(const TestCertificate& authority, const std::vector<std::string>& names,
                                    int days = 1);

// The key, protected by a pass phrase.
std::string ProtectTestKey(const std::string& key);

}  // namespace cadre::net
