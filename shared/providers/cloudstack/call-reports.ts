/** What the calls of this process say about CloudStack: how many of each, how they failed, and whether anybody answers. */
import type { CallReport } from '../../platforms/cloudstack/client.ts';
import { cloudStackCodes as codes } from '../../platforms/cloudstack/codes.ts';
import type { CloudReports } from '../cloud-reports.ts';

/** With these there is no CloudStack that listens to us; with all others there is one that says no. */
const away: ReadonlySet<string | undefined> = new Set([
  codes.unreachable,
  codes.tls,
  codes.notCloudStack,
  codes.credentials,
  codes.clockSkew,
]);
/** One answer that is lost is no outage. */
const failuresInARow = 3;

export function callReports(reports: CloudReports): (call: CallReport) => void {
  let failures = 0;
  return ({ command, failure, errorCode }) => {
    // The code of CloudStack, such as 533; where it gave none, the kind of the failure.
    reports.called(command, failure === undefined ? undefined : String(errorCode ?? failure.kind));
    failures = failure !== undefined && away.has(failure.code) ? failures + 1 : 0;
    if (failures === 0) reports.answers(undefined);
    else if (failures >= failuresInARow) reports.answers(failure?.message);
  };
}
