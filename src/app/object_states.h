// ObjectStates: the states that Jobs and their pods go through in a run, as text: what the simulator and a
// real control plane must have in common (docs/fidelity.md).
//
// Of a Job: suspended or not, its size where that changes, its conditions, and that it is being deleted or
// gone; at the end its counts. Of a pod: whether it has a node, its phase, and that it is being deleted or
// gone. Not what differs from run to run: names, times, nodes, and how many pods a Job has at one instant.
// Repetitions are left out. Pods of a Job without indexes are not told apart: their histories are sorted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drive/observed_api.h"

namespace cadre::app {

class ObjectStates {
 public:
  // Looks on from now on. It must outlive the api's observers.
  void LookOn(drive::ObservedApi& api);

  // One line for each Job, and for each pod of it, sorted: "Job default/a: runs > Complete > gone".
  std::vector<std::string> Lines() const;

 private:
  struct History {
    std::string of;  // "Job default/a", "Pod default/a[2]"
    std::vector<std::string> states;
    std::string counts;  // of a Job that is still there
  };

  void OnWrite(const drive::WriteRecord& record);
  static void Add(History& history, std::string state);

  std::map<std::string, History> by_uid_;
};

// The lines that only one of the two has, each with the name of the side: "only simulated: ...".
std::vector<std::string> DifferencesOf(const std::vector<std::string>& simulated,
                                       const std::vector<std::string>& real);

}  // namespace cadre::app
