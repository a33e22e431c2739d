// The credential source that has to fetch: in a thread of its own, so that an event loop never waits for it.
// See credentials.h for how it is used.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "live/credentials.h"

namespace cadre::live {

// Where the credentials come from: RunExecPlugin, or a test's stand-in. Called in the source's thread, one
// call at a time; it must return soon after a stop is requested.
using FetchCredential = std::function<Result<Credential>(const std::stop_token&)>;

std::unique_ptr<CredentialSource> MakeExecSource(FetchCredential fetch);

}  // namespace cadre::live
