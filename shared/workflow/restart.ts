/**
 * Starting a workflow once more because a person asks for it, whatever became of the last one. Histories are expendable: the next
 * epoch of the key finds on the claim how far things are, and an older one that still acts somewhere gives way to it.
 */

export type RestartObstacle =
  /** No such history is kept. */
  | 'unknown'
  /** It runs, and nobody said that it should be replaced all the same. */
  | 'running'
  /** A later epoch has followed: that one is the one to look at. */
  | 'superseded'
  /** The code has no workflow of this name any more. */
  | 'unregistered';

/** Why a workflow is not started once more. */
export class RestartRefused extends Error {
  override readonly name = 'RestartRefused';
  readonly obstacle: RestartObstacle;

  constructor(obstacle: RestartObstacle, message: string) {
    super(message);
    this.obstacle = obstacle;
  }
}

export const refusals = {
  unknown: (id: string) => new RestartRefused('unknown', `there is no workflow ${id}`),
  running: (id: string) => new RestartRefused('running', `${id} is running`),
  superseded: (id: string, epoch: number) => new RestartRefused('superseded', `${id} was replaced by epoch ${epoch}`),
  unregistered: (id: string, workflow: string) =>
    new RestartRefused('unregistered', `${id} is a workflow "${workflow}", which this version does not have`),
};

export interface RestartOptions {
  /** Also one that runs: for one that the engine has lost, or that hangs. */
  force?: boolean;
}

export interface Restarted {
  id: string;
  epoch: number;
}
