/** Node classes and catalog of EC2 by themselves, with the real SDK before the stand-in for AWS. */

import type { Json } from '../../shared/base/json.ts';
import { ok } from '../../shared/base/result.ts';
import { countingIds, manualClock } from '../../shared/base/runtime.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { createEc2Calls } from '../../shared/providers/ec2/calls/calls.ts';
import { Ec2Catalog } from '../../shared/providers/ec2/catalog/catalog.ts';
import { Ec2NodeClasses } from '../../shared/providers/ec2/node-class/resolve.ts';
import type { Ec2Cluster } from '../../shared/providers/ec2/node-class/resolved.ts';
import { type AwsOptions, startAws } from '../../sim/aws/start.ts';
import { nodeClassSpec } from '../conformance/providers/ec2-harness.ts';
import { testContext } from '../stand-ins/provider-context.ts';

export const demo: Ec2Cluster = {
  name: 'demo',
  endpoint: 'https://demo.example',
  certificateAuthority: 'Q0E=',
  kubernetesVersion: '1.34',
  serviceCidr: '172.20.0.0/16',
};

export interface WorldOptions extends AwsOptions {
  reservedENIs?: number;
  prices?: boolean;
  cluster?: Ec2Cluster;
}

export async function ec2World({ reservedENIs = 0, prices = true, cluster = demo, ...options }: WorldOptions = {}) {
  const clock = manualClock(Date.UTC(2026, 10, 1));
  const log = collectingLog();
  const aws = await startAws({ clock, ids: countingIds(), wakeByItself: false, ...options });
  const context = testContext({ clock, log });
  const open = () => {
    const calls = createEc2Calls({
      connection: { region: aws.region, endpoint: aws.url, credentials: aws.credentials },
    });
    const scope = `${aws.account.id}/${aws.region}`;
    const classes = new Ec2NodeClasses({ calls, context, scope, cluster: async () => ok(cluster) });
    const buyer = { account: aws.account.id, region: aws.region, clusterName: cluster.name };
    const catalog = new Ec2Catalog({
      calls,
      context,
      scope,
      buyer,
      vmMemoryOverheadPercent: 0.075,
      reservedENIs,
      prices,
    });
    return { calls, classes, catalog };
  };
  const first = open();
  return {
    aws,
    clock,
    log,
    context,
    ...first,
    /** What another function of the same deployment sees: the same state, and an empty memory. */
    another: open,
    /** A class of this name, with other fields than usual. */
    nodeClass: (more: { [field: string]: Json } = {}) => ({
      name: 'default',
      spec: { ...nodeClassSpec, ...more } as Json,
    }),
    close: async () => {
      first.classes.close();
      first.catalog.close();
      first.calls.close();
      await aws.close();
    },
  };
}

export const signal = new AbortController().signal;
