// gang_bench: makes the nodes and gangs of bench/gang on a real API server, watches how the pods get their
// nodes, and prints when. bench/gang/run starts the scheduler that is measured and reads what is printed;
// with --bare it is the bare loop itself, which posts the bindings and decides nothing.
#include <iostream>
#include <unordered_map>

#include <CLI/CLI.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "bench/gang/api_client.h"
#include "bench/gang/workload.h"
#include "kube/pod.h"

namespace cadre::bench {
namespace {

constexpr std::size_t kCreatesInFlight = 16;
constexpr std::size_t kBindsInFlight = 64;

struct Options {
  std::string kubeconfig;
  Workload workload;
  bool bare = false;
  bool creating = false;
  Duration at_most = std::chrono::minutes(4);
};

class Bench {
 public:
  Bench(ApiClient& client, const Options& options) : client_(client), options_(options) {}

  Result<void> Run() {
    const Workload& workload = options_.workload;
    CADRE_TRY_VOID(client_.Send(NodesOf(workload), kCreatesInFlight));
    CADRE_TRY_VOID(client_.Send(NodeStatusesOf(workload), kCreatesInFlight));
    CADRE_TRY_VOID(client_.Send(PodGroupsOf(workload), kCreatesInFlight));
    if (!options_.creating) CADRE_TRY_VOID(client_.Send(PodsOf(workload), kCreatesInFlight));
    client_.WatchPods([this](const kube::Object& pod) { Note(pod); });
    // The scheduler is started, or, with creation going on, is running already.
    std::cout << "ready" << std::endl;
    std::string go;
    std::getline(std::cin, go);
    began_ = client_.Seconds();
    if (options_.creating) CADRE_TRY_VOID(Create());
    if (options_.bare && !options_.creating) client_.Start(BindsOf(workload), kBindsInFlight);
    const std::size_t wanted = workload.gangs * workload.members;
    client_.Run(options_.at_most, [&] { return bound_.size() >= wanted || !client_.problem().empty(); });
    if (!client_.problem().empty()) return Err("{}", client_.problem());
    Print();
    return {};
  }

 private:
  // Pods in order; the bare loop binds each gang as soon as it is there, as a scheduler may.
  Result<void> Create() {
    const std::vector<drive::Effect> pods = PodsOf(options_.workload);
    const std::vector<drive::Effect> binds = BindsOf(options_.workload);
    const std::size_t members = options_.workload.members;
    if (!options_.bare) {
      client_.Start(pods, kCreatesInFlight);
      return {};
    }
    // Creates of the next gang go with the binds of the one before.
    for (std::size_t gang = 0; gang <= options_.workload.gangs; ++gang) {
      std::vector<drive::Effect> both;
      for (std::size_t member = 0; member < members; ++member) {
        if (gang < options_.workload.gangs) both.push_back(pods[gang * members + member]);
        if (gang > 0) both.push_back(binds[(gang - 1) * members + member]);
      }
      CADRE_TRY_VOID(client_.Send(std::move(both), kBindsInFlight));
    }
    return {};
  }

  void Note(const kube::Object& pod) {
    const double now = client_.Seconds();
    if (!bound_.try_emplace(pod.Meta().name, now).second) return;
    Times& gang = gangs_[GangOf(pod.Meta().name)];
    if (gang.first == 0) gang.first = now;
    gang.last = now;
  }

  void Print() const {
    double first = 0;
    double last = 0;
    boost::json::array gangs;
    for (std::size_t gang = 0; gang < options_.workload.gangs; ++gang) {
      const auto found = gangs_.find(gang);
      if (found == gangs_.end()) continue;
      if (first == 0 || found->second.first < first) first = found->second.first;
      last = std::max(last, found->second.last);
      gangs.push_back(boost::json::array{found->second.first - began_, found->second.last - began_});
    }
    std::cout << boost::json::serialize(boost::json::object{{"bound", bound_.size()},
                                                            {"first_s", first - began_},
                                                            {"last_s", last - began_},
                                                            {"gangs", gangs}})
              << std::endl;
  }

  struct Times {
    double first = 0;
    double last = 0;
  };
  ApiClient& client_;
  const Options& options_;
  double began_ = 0;
  std::unordered_map<std::string, double> bound_;
  std::unordered_map<std::size_t, Times> gangs_;
};

int Main(int argc, char** argv) {
  Options options;
  bool no_group = false;
  CLI::App app("Gangs on a real API server; bench/gang/run says what for");
  app.add_option("--kubeconfig", options.kubeconfig)->required();
  app.add_option("--nodes", options.workload.nodes);
  app.add_option("--gangs", options.workload.gangs);
  app.add_option("--members", options.workload.members);
  app.add_option("--scheduler-name", options.workload.scheduler_name)->required();
  app.add_flag("--rack", options.workload.rack);
  app.add_flag("--no-group", no_group);
  app.add_flag("--bare", options.bare);
  app.add_flag("--creating", options.creating);
  CLI11_PARSE(app, argc, argv);
  options.workload.group = !no_group;
  const Result<std::unique_ptr<ApiClient>> client = ApiClient::Open(options.kubeconfig);
  const Result<void> done = client ? Bench(**client, options).Run() : Err("{}", client.error().message);
  if (done) return 0;
  std::cerr << "gang_bench: " << done.error().message << '\n';
  return 1;
}

}  // namespace
}  // namespace cadre::bench

int main(int argc, char** argv) {
  return cadre::bench::Main(argc, argv);
}
