/** What proves to the host that a cluster calls, as the configuration has it. */
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { IntakeKeys } from '../../../shared/identity/callers.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { secretFileProblem, secretList } from '../../../shared/observe/log/secret-list.ts';

/** Fails when a file can't be used: better now than when the first event is refused. */
export function intakeKeys(config: Config, log: Log): Result<(cluster: string) => IntakeKeys> {
  const problems = Object.entries(config.clusters).flatMap(([name, { intake }]) =>
    (['tokenFiles', 'pathSecretFiles'] as const).flatMap((field) =>
      intake[field].flatMap((file) => {
        const problem = secretFileProblem(file);
        return problem === undefined ? [] : [`clusters.${name}.intake.${field}: ${problem}`];
      }),
    ),
  );
  if (problems.length > 0) return failed('invalid', problems.join('\n'));
  const keys = new Map(
    Object.entries(config.clusters).map(([name, { intake }]) => {
      const tokens = secretList({ values: intake.tokens, files: intake.tokenFiles, log });
      const pathSecrets = secretList({ values: intake.pathSecrets, files: intake.pathSecretFiles, log });
      const certificateNames = intake.certificateNames ?? [name];
      return [name, () => ({ tokens: tokens(), pathSecrets: pathSecrets(), certificateNames })];
    }),
  );
  const none = { tokens: [], pathSecrets: [], certificateNames: [] };
  return ok((cluster) => keys.get(cluster)?.() ?? none);
}
