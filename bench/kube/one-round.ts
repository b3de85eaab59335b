/** One round: a fresh API server, one contender, so many claims up and down again. */
import { setTimeout as pause } from 'node:timers/promises';
import { startKubeApiserver } from '../../test/kube/apiserver.ts';
import { removeDirectory, temporaryDirectory } from '../harness/leftovers.ts';
import { type Asked, askedSince, auditMark } from './audit.ts';
import { followClaims } from './claims.ts';
import type { Contender } from './contender.ts';

export interface Round {
  count: number;
  upSeconds: number;
  downSeconds: number;
  up: Asked;
  down: Asked;
  /** Of the provisioner and of what makes its Nodes, up and down. */
  cpuSeconds: number;
  /** Of the provisioner, with all claims Ready. */
  memoryMegabytes: number;
}

/** What is still under way when the last claim is Ready or gone belongs to it as well. */
const settleMs = 3_000;

export async function oneRound(contender: Contender, count: number): Promise<Round> {
  const server = await startKubeApiserver({ audit: true });
  const directory = temporaryDirectory('kube');
  const api = server.connect({ name: 'bench', fieldManager: 'bench', requestTimeoutMs: 120_000 });
  try {
    const running = await contender.start(server, directory);
    const { provisioner, cloud } = running;
    const cpu = (): number => [...provisioner, ...cloud].reduce((total, one) => total + one.cpuSeconds(), 0);
    const claims = await followClaims(api);
    const cpuBefore = cpu();
    const started = auditMark(server.auditLog);
    const upSeconds = await claims.create(count, contender.claim);
    await pause(settleMs);
    const memoryMegabytes = provisioner.reduce((total, one) => total + one.memoryMegabytes(), 0);
    const up = askedSince(server.auditLog, started, contender.agent);
    const middle = auditMark(server.auditLog);
    const downSeconds = await claims.removeAll();
    await pause(settleMs);
    const down = askedSince(server.auditLog, middle, contender.agent);
    const cpuSeconds = cpu() - cpuBefore;
    claims.close();
    await running.end();
    return { count, upSeconds, downSeconds, up, down, cpuSeconds, memoryMegabytes };
  } finally {
    api.close();
    await server.stop();
    removeDirectory(directory);
  }
}
