// A report whose text a terminal may show as it is. Names, reasons and messages come from whoever wrote the
// manifests; JSON and HTML have escapes of their own.
#pragma once

#include "report/run_report.h"

namespace cadre::report {

// Every text of it made Printable (base/utf8.h), keys of maps too.
RunReport PrintableReport(RunReport report);

}  // namespace cadre::report
