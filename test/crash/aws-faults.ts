/** What goes wrong between Lambda and the functions, beside the kills from outside. */
import { type Random, seededRandom } from '../../shared/base/runtime.ts';
import type { LambdaFaults } from '../stand-ins/lambda/contract.ts';

/** Processes end between an effect and its checkpoint; steps run again, turns come twice, calls are refused. */
export function seededLambdaFaults(seed: number, died: () => void): LambdaFaults {
  const random: Random = seededRandom(seed);
  return {
    loses: () => {
      const is = random() < 0.004;
      if (is) died();
      return is;
    },
    doubles: () => random() < 0.02,
    repeats: () => random() < 0.03,
    throttles: () => random() < 0.02,
  };
}
