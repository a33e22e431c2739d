#include "app/use_meter.h"

#include <algorithm>

#include "base/check.h"

namespace cadre::app {

void UseMeter::Fill(Series& series, std::int64_t from_ms, std::int64_t to_ms) const {
  while (from_ms < to_ms) {
    const auto bucket = static_cast<std::size_t>(from_ms / width_ms_);
    if (series.requested_in.size() <= bucket) {
      series.requested_in.resize(bucket + 1);
      series.offered_in.resize(bucket + 1);
    }
    const std::int64_t until = std::min(to_ms, (from_ms / width_ms_ + 1) * width_ms_);
    const auto length = static_cast<double>(until - from_ms);
    series.requested_in[bucket] += static_cast<double>(series.requested) * length;
    series.offered_in[bucket] += static_cast<double>(series.offered) * length;
    from_ms = until;
  }
}

void UseMeter::Halve() {
  width_ms_ *= 2;
  for (auto& [name, series] : series_) {
    for (std::vector<double>* buckets : {&series.requested_in, &series.offered_in}) {
      for (std::size_t i = 0; i < buckets->size(); ++i) {
        const double amount = (*buckets)[i];
        if (i % 2 == 0) (*buckets)[i / 2] = 0;
        (*buckets)[i / 2] += amount;
      }
      buckets->resize((buckets->size() + 1) / 2);
    }
  }
}

void UseMeter::PassTime(Time now) {
  CADRE_ASSERT(now >= now_, "time of the use meter goes back");
  if (now == now_) return;
  const std::int64_t from = (now_ - start_).count();
  const std::int64_t to = (now - start_).count();
  while (to / width_ms_ >= static_cast<std::int64_t>(kBuckets))
    Halve();
  for (auto& [name, series] : series_)
    Fill(series, from, to);
  now_ = now;
}

void UseMeter::NotePeak(Series& series) {
  if (series.offered > 0)
    series.peak =
        std::max(series.peak, static_cast<double>(series.requested) / static_cast<double>(series.offered));
}

void UseMeter::Offer(Time now, const kube::ResourceList& allocatable, std::int64_t sign) {
  PassTime(now);
  for (const auto& [name, amount] : allocatable)
    series_[name].offered += sign * amount;
}

void UseMeter::Request(Time now, const kube::ResourceList& requests, std::int64_t sign) {
  PassTime(now);
  for (const auto& [name, amount] : requests) {
    Series& series = series_[name];
    series.requested += sign * amount;
    series.was_requested = series.was_requested || amount > 0;
    NotePeak(series);
  }
}

double UseMeter::Cumulated(const std::vector<double>& buckets, double ms) const {
  double sum = 0;
  const auto width = static_cast<double>(width_ms_);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const double from = static_cast<double>(i) * width;
    // The last bucket may be filled in part only; its content lies before now_.
    const double to = std::min(from + width, static_cast<double>((now_ - start_).count()));
    if (ms <= from) break;
    sum += ms >= to ? buckets[i] : buckets[i] * (ms - from) / (to - from);
  }
  return sum;
}

std::vector<UseMeter::Use> UseMeter::Read(Time end, std::size_t count) const {
  UseMeter filled = *this;
  // The nodes may have changed after the last group did.
  if (end > now_) filled.PassTime(end);
  const auto length = static_cast<double>((end - start_).count());
  const auto mean = [](double requested, double offered) { return offered > 0 ? requested / offered : 0; };
  std::vector<Use> uses;
  for (const auto& [name, series] : filled.series_) {
    const bool always = name == kube::kCpu || name == kube::kMemory;
    if (name == kube::kPods || series.offered == 0 || !(always || series.was_requested)) continue;
    Use use{.resource = name,
            .offered = series.offered,
            .mean_fraction = 0,
            .peak_fraction = series.peak,
            .slices = {}};
    use.mean_fraction =
        mean(filled.Cumulated(series.requested_in, length), filled.Cumulated(series.offered_in, length));
    double requested_before = 0;
    double offered_before = 0;
    for (std::size_t i = 1; i <= count && length > 0; ++i) {
      const double until = length * static_cast<double>(i) / static_cast<double>(count);
      const double requested = filled.Cumulated(series.requested_in, until);
      const double offered = filled.Cumulated(series.offered_in, until);
      use.slices.push_back(mean(requested - requested_before, offered - offered_before));
      requested_before = requested;
      offered_before = offered;
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace cadre::app
