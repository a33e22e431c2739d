#include "match/finder.h"

namespace cadre::match {

class Finder::Impl {
 public:
  explicit Impl(const model::Cluster& c) : cluster(c) {}
  const model::Cluster& cluster;
  Counters counters;
};

Finder::Finder(const model::Cluster& cluster) : impl_(std::make_unique<Impl>(cluster)) {}
Finder::~Finder() = default;

std::expected<Placement, Diagnosis> Finder::Match(const Request& request, Limits limits) {
  ++impl_->counters.searched;
  return match::Match(impl_->cluster, request, limits);
}

std::optional<Placement> Finder::Place(const Request& request, Limits limits) {
  ++impl_->counters.searched;
  return match::Place(impl_->cluster, request, limits);
}

const Finder::Counters& Finder::counters() const {
  return impl_->counters;
}

std::size_t Finder::MemoryBytes() const {
  return 0;
}

}  // namespace cadre::match
