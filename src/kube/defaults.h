// What the API server (and for JobSets its webhook) fills in before it stores a new object, as far as
// anything in Cadre reads it. One function per kind, JSON in place, so that the API in memory and a live
// webhook share it.
//
// Fields that nothing here reads (imagePullPolicy, dnsPolicy, securityContext…) are not filled in. Nothing
// that is already there is changed. A field of the wrong type is left for the decoder to complain about.
// Source: measured on Kubernetes 1.36; JobSets: the webhook of JobSet 0.12 and its CRD schema.
#pragma once

#include "base/json.h"
#include "kube/kind.h"

namespace cadre::kube {

// `body` is a whole object of this kind. Kinds without defaults are left as they are.
void ApplyDefaults(Kind kind, json::object& body);

// Pod: restartPolicy, schedulerName, terminationGracePeriodSeconds, protocol of ports.
void ApplyPodDefaults(json::object& pod);

// Job: parallelism, completions, completionMode, backoffLimit, suspend, manualSelector, podReplacementPolicy,
// status of podFailurePolicy's conditions, labels from the template when it has none of its own; its pod
// template as a pod.
void ApplyJobDefaults(json::object& job);

// LeaderWorkerSet: replicas, size, startupPolicy, restartPolicy, as its CRD schema does.
void ApplyLeaderWorkerSetDefaults(json::object& set);

// JobSet: success and startup policy, network, replicas and groupName, restartStrategy, names of failure
// rules, and in the Job templates completionMode Indexed and restartPolicy OnFailure.
void ApplyJobSetDefaults(json::object& jobset);

}  // namespace cadre::kube
