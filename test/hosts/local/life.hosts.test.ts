/** The life of the host as a process: graceful stops, sudden ends, full disks. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/base/runtime.ts';
import { connectCluster } from '../../../shared/kube/client/http.ts';
import { nodeClaims, type Resource } from '../../../shared/kube/contract.ts';
import type { StoredClaim } from '../../../shared/nodes/steps/claim-access.ts';
import { createLog } from '../../../shared/observe/log/log.ts';
import { conditionStatus } from '../../nodes/world.ts';
import { startHost, temporaryDirectory, useProcesses, worldBeside } from './host-process.ts';

useProcesses();

const nodeClasses: Resource = {
  group: 'poolwright.dev',
  version: 'v1alpha1',
  plural: 'simnodeclasses',
  kind: 'SimNodeClass',
  namespaced: false,
};

function kubectl(url: string) {
  const log = createLog({ level: 'silent', pretty: false, sink: () => {} });
  const api = connectCluster({
    name: 'test',
    url,
    clock: systemClock,
    log,
    requestTimeoutMs: 10_000,
    fieldManager: 'test',
  });
  const claims = async (): Promise<StoredClaim[]> => {
    const list = await api.list<StoredClaim>(nodeClaims);
    return list.ok ? list.value.items : [];
  };
  return {
    claims,
    async nodeClass(): Promise<void> {
      const { group, version, kind } = nodeClasses;
      const made = await api.create(nodeClasses, {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name: 'default' },
        spec: {},
      });
      expect(made.ok).toBe(true);
    },
    async create(name: string): Promise<void> {
      const made = await api.create(nodeClaims, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        metadata: { name },
        spec: {
          nodeClassRef: { group: nodeClasses.group, kind: nodeClasses.kind, name: 'default' },
          requirements: [],
          resources: { requests: { cpu: '1' } },
        },
      });
      expect(made.ok).toBe(true);
    },
    delete: (name: string) => api.delete(nodeClaims, { name }, {}),
    /** Looks until it is so; the test's own limit ends a wait in vain. */
    async until(look: (claims: StoredClaim[]) => boolean): Promise<void> {
      while (!look(await claims())) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    close: () => api.close(),
  };
}

const allReady = (count: number) => (claims: StoredClaim[]) =>
  claims.length === count && claims.every((claim) => conditionStatus(claim, 'Ready') === 'True');

describe('the host', () => {
  it('stops in order on SIGTERM: what runs is finished, and it ends with 0', async () => {
    const { world, config } = await worldBeside();
    const user = kubectl(world.cluster.url);
    await user.nodeClass();
    const directory = temporaryDirectory();
    const host = startHost({ directory, config });
    await host.up;
    for (let index = 0; index < 20; index++) await user.create(`c${index}`);
    await user.until((claims) => claims.some(({ metadata }) => metadata.finalizers?.length));
    host.kill('SIGTERM');
    expect(await host.ended).toEqual({ code: 0, signal: null });
    expect(host.said()).toContain('host.stopped');
    expect(host.said()).not.toContain('"level":"error"');
    // And goes on where it stopped.
    const again = startHost({ directory, config });
    await again.up;
    await user.until(allReady(20));
    expect(world.cloud.overlaps()).toEqual([]);
    expect(world.cloud.living).toBe(20);
    user.close();
  });

  it('goes on after kill -9 in mid-create', async () => {
    const { world, config } = await worldBeside();
    const user = kubectl(world.cluster.url);
    await user.nodeClass();
    const directory = temporaryDirectory();
    for (let index = 0; index < 20; index++) await user.create(`c${index}`);
    for (let kill = 0; kill < 3; kill++) {
      const host = startHost({ directory, config });
      await host.up;
      await host.says('claim.launching');
      host.kill('SIGKILL');
      expect((await host.ended).signal).toBe('SIGKILL');
      await user.create(`late${kill}`);
    }
    const host = startHost({ directory, config });
    await host.up;
    await user.until(allReady(23));
    expect(world.cloud.overlaps()).toEqual([]);
    for (const { metadata } of await user.claims()) await user.delete(metadata.name);
    await user.until((claims) => claims.length === 0);
    expect(world.cloud.living).toBe(0);
    user.close();
  });

  it('stops when nothing more can be written, says what to do, and goes on once there is room', async () => {
    const { world, config } = await worldBeside();
    const user = kubectl(world.cluster.url);
    await user.nodeClass();
    const directory = temporaryDirectory();
    const host = startHost({ directory, config, fileLimitKiB: 200 });
    await host.up;
    for (let index = 0; index < 60; index++) await user.create(`c${index}`);
    expect((await host.ended).code).toBe(1);
    const said = host
      .said()
      .split('\n')
      .filter((line) => line && !line.startsWith('{'));
    expect(said.join('\n')).toContain(directory);
    expect(said.join('\n')).toMatch(/then restart/);
    expect(said.length).toBeLessThan(6);
    expect(host.said()).toContain('host.failed');

    const roomy = startHost({ directory, config });
    await roomy.up;
    await user.until(allReady(60));
    expect(world.cloud.overlaps()).toEqual([]);
    expect(world.cloud.living).toBe(60);
    user.close();
  });
});
