#include "live/kubeconfig.h"

#include <map>

#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "live/live_testing.h"

namespace cadre::live {
namespace {

constexpr std::string_view kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
// kPem in base64.
constexpr std::string_view kPemData =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";

class Kubeconfig : public testing::Test {
 protected:
  Result<ClusterAccess> Load() {
    options_.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      if (found == variables_.end()) return std::nullopt;
      return found->second;
    };
    return LoadClusterAccess(options_);
  }

  // A kubeconfig with one context, whose cluster and user have these fields (flow style).
  Result<ClusterAccess> LoadWith(std::string_view cluster, std::string_view user) {
    options_.kubeconfig = folder_.Write("config", fmt::format(R"(
apiVersion: v1
kind: Config
current-context: dev
contexts: [{{name: dev, context: {{cluster: c, user: u}}}}]
clusters: [{{name: c, cluster: {}}}]
users: [{{name: u, user: {}}}]
)",
                                                              cluster, user));
    return Load();
  }
  Result<ClusterAccess> LoadUser(std::string_view user) { return LoadWith("{server: 'https://a:1'}", user); }
  std::string Path() const { return folder_ / "config"; }

  // A kubeconfig whose one user has the name of the file as its token.
  std::string WriteNamed(std::string_view file, std::string_view context, std::string_view current) {
    return folder_.Write(file, fmt::format(R"(
current-context: "{1}"
contexts: [{{name: {2}, context: {{cluster: c, user: u}}}}]
clusters: [{{name: c, cluster: {{server: "https://{0}"}}}}]
users: [{{name: u, user: {{token: {0}}}}}]
)",
                                           file, current, context));
  }

  TempFolder folder_;
  std::map<std::string, std::string> variables_;
  KubeconfigOptions options_;
};

template <class T>
const T& CredentialOf(const Result<ClusterAccess>& access) {
  if (!access) throw std::runtime_error(access.error().message);  // gtest reports it
  return std::get<T>(access->credential);
}

TEST_F(Kubeconfig, TheCurrentContextSaysWhereAndWho) {
  const auto access = LoadWith(
      "{server: 'https://10.0.0.1:6443', tls-server-name: api.example.com, insecure-skip-tls-verify: true}",
      "{token: abc}");
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(ToString(access->server), "https://10.0.0.1:6443");
  EXPECT_EQ(access->tls_server_name, "api.example.com");
  EXPECT_TRUE(access->insecure_skip_tls_verify);
  EXPECT_EQ(CredentialOf<StaticToken>(access).token, "abc");
  EXPECT_EQ(access->default_namespace, "default");
  EXPECT_EQ(access->origin, "context \"dev\" of " + Path());
}

TEST_F(Kubeconfig, CertificatesStandInTheFileOrBesideIt) {
  folder_.Write("pki/me.crt", kPem);
  folder_.Write("pki/me.key", kPem);
  const auto access =
      LoadWith(fmt::format("{{server: 'https://a:1', certificate-authority-data: {}}}", kPemData),
               "{client-certificate: pki/me.crt, client-key: ./pki/me.key}");
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(access->certificate_authority.pem, kPem);
  EXPECT_EQ(access->client_certificate.file, folder_ / "pki/me.crt");
  EXPECT_EQ(access->client_key.file, folder_ / "pki/me.key");
}

TEST_F(Kubeconfig, DataWinsOverAFile) {
  const auto access = LoadWith(
      fmt::format("{{server: 'https://a:1', certificate-authority: gone, certificate-authority-data: {}}}",
                  kPemData),
      "{}");
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(access->certificate_authority.pem, kPem);
  EXPECT_TRUE(access->certificate_authority.file.empty());
}

TEST_F(Kubeconfig, ATokenFileWinsOverATokenAndIsRelativeToItsFile) {
  folder_.Write("token", "abc");
  EXPECT_EQ(CredentialOf<TokenFile>(LoadUser("{token: old, tokenFile: token}")).path, folder_ / "token");
}

TEST_F(Kubeconfig, OfSeveralFilesTheFirstWithAnEntryWins) {
  const std::string a = WriteNamed("a", "first", "");
  const std::string b = WriteNamed("b", "second", "second");
  variables_["KUBECONFIG"] = a + "::" + (folder_ / "gone") + ":" + b;
  const auto access = Load();
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(access->origin, "context \"second\" of " + b);  // a names none
  EXPECT_EQ(access->server.host, "a");                      // both have a cluster c
  EXPECT_EQ(CredentialOf<StaticToken>(access).token, "a");
}

TEST_F(Kubeconfig, AContextMayBeAskedFor) {
  options_.kubeconfig = WriteNamed("a", "other", "current");
  options_.context = "other";
  EXPECT_EQ(ErrorOf(Load()), "no error");
}

TEST_F(Kubeconfig, AnExplicitFileIsTheOnlyOne) {
  variables_["KUBECONFIG"] = WriteNamed("a", "dev", "dev");
  options_.kubeconfig = folder_ / "gone";
  EXPECT_EQ(ErrorOf(Load()), (folder_ / "gone") + ": cannot be opened: No such file or directory");
}

TEST_F(Kubeconfig, WithoutAnyVariableTheFileIsInTheHomeFolder) {
  WriteNamed(".kube/config", "dev", "dev");
  variables_["HOME"] = folder_ / "";
  EXPECT_EQ(CredentialOf<StaticToken>(Load()).token, ".kube/config");
}

TEST_F(Kubeconfig, TheNamespaceOfAContextIsTheDefault) {
  options_.kubeconfig = folder_.Write("config", R"({"current-context":"dev",
      "contexts":[{"name":"dev","context":{"cluster":"c","namespace":"team-a"}}],
      "clusters":[{"name":"c","cluster":{"server":"https://a"}}]})");
  const auto access = Load();
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(access->default_namespace, "team-a");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(access->credential));
}

TEST_F(Kubeconfig, AnExecPluginIsReadWhole) {
  const auto access = LoadWith(
      fmt::format("{{server: 'https://a:1', tls-server-name: b, certificate-authority-data: {}, extensions: "
                  "[{{name: client.authentication.k8s.io/exec, extension: {{audience: x}}}}]}}",
                  kPemData),
      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: bin/get-token, args: [a, b], env: "
      "[{name: A, "
      "value: '1'}], installHint: get it, interactiveMode: IfAvailable, provideClusterInfo: true}}");
  const auto& plugin = CredentialOf<ExecPlugin>(access);
  EXPECT_EQ(plugin.api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(plugin.command, folder_ / "bin/get-token");
  EXPECT_EQ(plugin.args, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(plugin.env, (std::vector<std::pair<std::string, std::string>>{{"A", "1"}}));
  EXPECT_EQ(plugin.install_hint, "get it");
  EXPECT_EQ(boost::json::parse(plugin.cluster_info),
            boost::json::parse(fmt::format(R"({{"server":"https://a:1","tls-server-name":"b",
                "certificate-authority-data":"{}","config":{{"audience":"x"}}}})",
                                           kPemData)));
}

TEST_F(Kubeconfig, APluginWithoutASlashIsLeftToPath) {
  EXPECT_EQ(CredentialOf<ExecPlugin>(
                LoadUser("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}}"))
                .command,
            "aws");
}

TEST_F(Kubeconfig, InAPodTheServiceAccountIsUsed) {
  folder_.Write("sa/ca.crt", kPem);
  folder_.Write("sa/token", "abc");
  folder_.Write("sa/namespace", "team-a\n");
  variables_ = {{"KUBERNETES_SERVICE_HOST", "fd00::1"},
                {"KUBERNETES_SERVICE_PORT", "443"},
                {"KUBECONFIG", folder_ / "gone"}};
  options_.service_account_folder = folder_ / "sa";
  const auto access = Load();
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(ToString(access->server), "https://[fd00::1]:443");
  EXPECT_EQ(access->certificate_authority.file, folder_ / "sa/ca.crt");
  EXPECT_EQ(CredentialOf<TokenFile>(access).path, folder_ / "sa/token");
  EXPECT_EQ(access->default_namespace, "team-a");
}

TEST_F(Kubeconfig, WithNothingToConnectToTheErrorSaysWhatWasLookedFor) {
  variables_["KUBECONFIG"] = folder_ / "gone";
  EXPECT_EQ(ErrorOf(Load()), "no cluster to connect to: there is no " + (folder_ / "gone") +
                                 " and this is not a pod with a service account; give --kubeconfig or set "
                                 "KUBECONFIG");
}

// What is wrong, and the end of the message after the path of the file.
struct Mistake {
  std::string_view cluster;
  std::string_view user;
  std::string_view message;
};

constexpr std::string_view kServer = "{server: 'https://a:1'}";

class KubeconfigMistakes : public Kubeconfig, public testing::WithParamInterface<Mistake> {};

TEST_P(KubeconfigMistakes, NameTheFileTheEntryAndTheField) {
  const Mistake& mistake = GetParam();
  EXPECT_EQ(ErrorOf(LoadWith(mistake.cluster, mistake.user)), fmt::format("{}: {}", Path(), mistake.message));
}

INSTANTIATE_TEST_SUITE_P(
    All, KubeconfigMistakes,
    testing::Values(
        Mistake{"{}", "{}", "cluster \"c\": server: found \"\", expected a URL like https://10.0.0.1:6443"},
        Mistake{"{server: 1}", "{}",
                "cluster \"c\": server: found the number 1, expected a string (put it in quotes)"},
        Mistake{"{server: 'https://a', proxy-url: 'http://p'}", "{}",
                "cluster \"c\": proxy-url: proxies are not supported; connect directly, or through a tunnel "
                "on this "
                "machine"},
        Mistake{
            "{server: 'https://a', certificate-authority-data: '!!!'}", "{}",
            "cluster \"c\": certificate-authority-data: not base64: character 1 of 3 does not belong there"},
        Mistake{"{server: 'https://a', certificate-authority-data: YWJj}", "{}",
                "cluster \"c\": certificate-authority-data: holds no PEM block (-----BEGIN …-----) in its "
                "base64"},
        Mistake{
            "{server: 'https://a', certificate-authority: /nowhere/ca}", "{}",
            "cluster \"c\": certificate-authority: /nowhere/ca: cannot be opened: No such file or directory"},
        Mistake{kServer, "{username: a, password: hush}",
                "user \"u\": username: names and passwords are not supported (Kubernetes 1.19 removed them); "
                "use a "
                "token, a client certificate or exec"},
        Mistake{kServer, "{token: a, as: admin}",
                "user \"u\": as: impersonation is not supported; use credentials of the account itself"},
        Mistake{kServer, "{auth-provider: {name: gcp}}",
                "user \"u\": auth-provider: not supported (Kubernetes 1.26 removed it); use the exec plugin "
                "of your "
                "provider"},
        Mistake{kServer, "{tokenFile: /nowhere/token}",
                "user \"u\": tokenFile: /nowhere/token: cannot be opened: No such file or directory"},
        Mistake{kServer, "{token: a, exec: {command: a}}",
                "user \"u\": exec: set together with a token; remove one of them"},
        Mistake{kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: a}}",
                "user \"u\": exec.apiVersion: found \"client.authentication.k8s.io/v1alpha1\", expected "
                "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1; update the plugin"},
        Mistake{kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}",
                "user \"u\": exec.command: missing: the program to run"},
        Mistake{kServer, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: a}}",
                "user \"u\": exec.interactiveMode: found \"\", expected Never or IfAvailable"},
        Mistake{kServer,
                "{exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Always}}",
                "user \"u\": exec.interactiveMode: Always: the plugin needs a terminal, which this program "
                "has not; "
                "use a service account or another user"}));

TEST_F(Kubeconfig, AnAuthorityThatWouldNotBeCheckedIsRefused) {
  const auto access = LoadWith(
      fmt::format("{{server: 'https://a', insecure-skip-tls-verify: true, certificate-authority-data: {}}}",
                  kPemData),
      "{}");
  EXPECT_NE(ErrorOf(access).find("cluster \"c\": insecure-skip-tls-verify: set together with"),
            std::string::npos);
}

TEST_F(Kubeconfig, ACertificateNeedsItsKey) {
  EXPECT_EQ(ErrorOf(LoadUser(fmt::format("{{client-certificate-data: {}}}", kPemData))),
            Path() + ": user \"u\": client-key: missing, and there is a client-certificate");
}

TEST_F(Kubeconfig, AnUnknownContextIsNamedWithThoseThereAre) {
  options_.kubeconfig = WriteNamed("a", "prod", "prod");
  options_.context = "dev";
  EXPECT_EQ(ErrorOf(Load()), options_.kubeconfig + ": no context is named \"dev\"; there are prod");
}

TEST_F(Kubeconfig, WithoutACurrentContextTheErrorSaysHowToChooseOne) {
  options_.kubeconfig = WriteNamed("a", "prod", "");
  EXPECT_EQ(ErrorOf(Load()), options_.kubeconfig +
                                 ": no current-context; give --context, or set one with kubectl "
                                 "config use-context");
}

TEST_F(Kubeconfig, TwoEntriesOfOneNameInAFileAreRefused) {
  options_.kubeconfig = folder_.Write("config", R"({"current-context":"dev",
      "contexts":[{"name":"dev","context":{"cluster":"c"}},{"name":"dev","context":{"cluster":"d"}}]})");
  EXPECT_EQ(ErrorOf(Load()), Path() + ": contexts[0] and contexts[1] are both named \"dev\"; remove one");
}

TEST_F(Kubeconfig, AnotherKindOfFileIsRefused) {
  options_.kubeconfig = folder_.Write("config", "apiVersion: v1\nkind: Pod\n");
  EXPECT_EQ(ErrorOf(Load()),
            Path() + ": not a kubeconfig: found kind \"Pod\" of apiVersion \"v1\", expected Config of v1");
}

TEST_F(Kubeconfig, BrokenYamlIsReportedWithItsLine) {
  options_.kubeconfig = folder_.Write("config", "kind: Config\nusers: [\n");
  EXPECT_TRUE(ErrorOf(Load()).starts_with(Path() + ": line ")) << ErrorOf(Load());
}

}  // namespace
}  // namespace cadre::live
