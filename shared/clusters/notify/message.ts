/** What a notification says: as a CloudEvent for programs, and as a message for Slack and what understands its format. */
import { defined } from '../../base/defined.ts';
import { cutText } from '../../base/text.ts';
import { explain } from '../explain/explain.ts';
import type { NoticeType } from '../request/choices.ts';
import type { RequestNotice } from '../services.ts';

/** Facts about the cluster; no secrets, and nothing of the spec that is not needed to know which cluster it is. */
function dataOf({ ref, request, code, message }: RequestNotice, deployment: string, at: number) {
  const { spec, status, metadata } = request;
  const diagnosis = explain(
    { ...request, metadata: { ...metadata, name: ref.name, namespace: ref.namespace } },
    { now: at },
  );
  return {
    deployment,
    store: ref.cluster,
    team: ref.namespace,
    name: ref.name,
    uid: ref.uid,
    clusterName: spec.clusterName ?? ref.name,
    location: spec.location,
    ...defined({
      kubernetesVersion: status?.cluster?.kubernetesVersion ?? spec.kubernetesVersion,
      clusterId: status?.cluster?.id,
      fqdn: status?.cluster?.fqdn,
      startedAt: status?.startedAt,
      readyAt: status?.readyAt,
      expiresAt: status?.expiresAt,
      code,
      message: message === undefined ? undefined : cutText(message, 1000),
    }),
    ...(diagnosis.well ? {} : { cause: cutText(diagnosis.cause, 1000), fix: cutText(diagnosis.fix, 1000) }),
  };
}

/** Structured mode of CloudEvents 1.0: one JSON object. */
export function cloudEvent(notice: RequestNotice, deployment: string): string {
  const { id, type, at, ref } = notice;
  return JSON.stringify({
    specversion: '1.0',
    id,
    type: `dev.poolwright.cluster.${type}.v1`,
    source: `/poolwright/${deployment}/${ref.cluster}`,
    subject: `${ref.namespace}/${ref.name}`,
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    data: dataOf(notice, deployment, at),
  });
}

const sentences: Readonly<Record<NoticeType, (name: string) => string>> = {
  ready: (name) => `Cluster ${name} is ready.`,
  failed: (name) => `Cluster ${name} has failed.`,
  deleted: (name) => `Cluster ${name} was deleted.`,
  expired: (name) => `The lifetime of cluster ${name} is over, so it is being deleted.`,
  drifted: (name) => `Cluster ${name} differs from its request.`,
};

/** Slack reads these as markup; in a name of ours they are text. */
const plain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function slackMessage(notice: RequestNotice, deployment: string): string {
  const data = dataOf(notice, deployment, notice.at);
  const text = sentences[notice.type](`${notice.ref.namespace}/${notice.ref.name}`);
  const fields = [
    ['Location', data.location],
    ['Kubernetes', data.kubernetesVersion],
    ['API server', data.fqdn],
    ['Ends', data.expiresAt],
    ['Code', data.code],
  ].filter((field): field is [string, string] => typeof field[1] === 'string');
  const section = (mrkdwn: string) => ({ type: 'section', text: { type: 'mrkdwn', text: mrkdwn } });
  const why = 'cause' in data ? `*Cause* ${plain(data.cause ?? '')}\n*Fix* ${plain(data.fix ?? '')}` : undefined;
  return JSON.stringify({
    text: plain(text),
    blocks: [
      section(`*${plain(text)}*`),
      ...(notice.type === 'failed' && why !== undefined ? [section(why)] : []),
      ...(fields.length === 0
        ? []
        : [
            {
              type: 'section',
              fields: fields.map(([name, value]) => ({ type: 'mrkdwn', text: `*${name}*\n${plain(value)}` })),
            },
          ]),
    ],
  });
}
