/** The callers of the configuration, with what proves each of them. */
import { defined } from '../../../shared/base/defined.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { AuditSettings } from '../../../shared/identity/audit.ts';
import type { MemberKeys } from '../../../shared/identity/callers.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { secretFileProblem, secretList } from '../../../shared/observe/log/secret-list.ts';

/** How much of the audit log is kept. */
export const auditSettings = ({ audit: { keep, max } }: Config): AuditSettings => ({ keepSeconds: keep, max });

/** Fails when a file can't be used: better now than when the first request is refused. */
export function membersOf({ http: { callers } }: Config, log: Log): Result<readonly MemberKeys[]> {
  const entries = Object.entries(callers);
  const problems = entries.flatMap(([name, { tokenFiles }]) =>
    tokenFiles.flatMap((file) => {
      const problem = secretFileProblem(file);
      return problem === undefined ? [] : [`http.callers.${name}.tokenFiles: ${problem}`];
    }),
  );
  if (problems.length > 0) return failed('invalid', problems.join('\n'));
  return ok(
    entries.map(([name, { role, team, tokens, tokenFiles }]) => ({
      name,
      role,
      ...defined({ team }),
      tokens: secretList({ values: tokens, files: tokenFiles, log }),
    })),
  );
}
