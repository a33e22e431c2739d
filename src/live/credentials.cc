#include "live/credentials.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/log.h"
#include "base/text.h"
#include "live/exec_plugin.h"
#include "live/exec_source.h"
#include "live/file.h"

namespace cadre::live {
namespace {

constexpr std::size_t kLargestTokenBytes = std::size_t{1} << 20U;
constexpr Duration kReadAgainAfter = std::chrono::minutes(1);

Credential FromToken(std::string token) {
  Credential credential;
  credential.bearer_token = std::move(token);
  return credential;
}

// A source that never has to be waited for.
class ReadySource : public CredentialSource {
 public:
  bool NeedsRefresh(Time) const override { return false; }
  void Refresh(Time, std::function<void()> done) override { done(); }
};

class FixedSource : public ReadySource {
 public:
  explicit FixedSource(std::string token) : credential_(FromToken(std::move(token))) {}

  Result<Credential> Current(Time) override {
    if (!IsBearerToken(credential_.bearer_token)) return Err("token: {}", kNotABearerToken);
    return credential_;
  }
  void Refused(Time, const Credential&) override {}  // there is no other

 private:
  Credential credential_;
};

class TokenFileSource : public ReadySource {
 public:
  explicit TokenFileSource(std::string path) : path_(std::move(path)) {}

  Result<Credential> Current(Time now) override {
    if (!read_at_ || now >= *read_at_ + kReadAgainAfter) {
      read_at_ = now;
      if (const std::expected<void, Error> read = Read(); !read) {
        if (token_.empty()) {
          read_at_.reset();  // nothing to fall back on: try again with the next call
          return std::unexpected(read.error());
        }
        CADRE_LOG(kWarn, "the last token is used: {}", read.error().message);
      }
    }
    return FromToken(token_);
  }

  void Refused(Time, const Credential& credential) override {
    if (credential.bearer_token == token_) read_at_.reset();
  }

 private:
  std::expected<void, Error> Read() {
    CADRE_TRY(const std::string text, ReadSmallFile(path_, kLargestTokenBytes));
    const std::string_view token = Trim(text);
    if (token.empty()) return Err("{}: holds no token", path_);
    if (!IsBearerToken(token)) return Err("{}: {}", path_, kNotABearerToken);
    token_ = token;
    return {};
  }

  std::string path_;
  std::string token_;
  std::optional<Time> read_at_;
};

struct MakeSource {
  std::unique_ptr<CredentialSource> operator()(const std::monostate&) const {
    return std::make_unique<FixedSource>(std::string());
  }
  std::unique_ptr<CredentialSource> operator()(const StaticToken& token) const {
    return std::make_unique<FixedSource>(token.token);
  }
  std::unique_ptr<CredentialSource> operator()(const TokenFile& file) const {
    return std::make_unique<TokenFileSource>(file.path);
  }
  std::unique_ptr<CredentialSource> operator()(const ExecPlugin& plugin) const {
    return MakeExecSource(
        [plugin](const std::stop_token& stop) { return RunExecPlugin(plugin, kLongestPluginRun, stop); });
  }
};

}  // namespace

bool IsBearerToken(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::unique_ptr<CredentialSource> MakeCredentialSource(const UserCredential& credential) {
  return std::visit(MakeSource(), credential);
}

}  // namespace cadre::live
