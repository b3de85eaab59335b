/** Answers in the shapes of AWS: three protocols, and an error of its own shape in each. */
import type { Json } from '../../../shared/base/json.ts';
import { toXml, type Xml } from './xml.ts';

/** `ec2`: its own query protocol. `query`: that of STS and IAM. `json`: that of all others here. */
export type Protocol = 'ec2' | 'query' | 'json';

export interface Answer {
  status: number;
  contentType: string;
  body: string;
}

/** Why something is not done, in the words of AWS. 400 unless it says otherwise. */
export interface Problem {
  code: string;
  message: string;
  status?: number;
}

/** What an action comes to. */
export type Outcome = { problem: Problem } | { xml: { readonly [name: string]: Xml } } | { json: Json };

export const refuse = (code: string, message: string, status = 400): { problem: Problem } => ({
  problem: { code, message, status },
});

export function answerOf(protocol: Protocol, action: string, outcome: Outcome, requestId: string): Answer {
  if ('problem' in outcome) return problemAnswer(protocol, outcome.problem, requestId);
  if ('json' in outcome) {
    return { status: 200, contentType: 'application/x-amz-json-1.1', body: JSON.stringify(outcome.json) };
  }
  const body =
    protocol === 'ec2'
      ? toXml(`${action}Response`, { requestId, ...outcome.xml }, 'item')
      : toXml(
          `${action}Response`,
          { [`${action}Result`]: outcome.xml, ResponseMetadata: { RequestId: requestId } },
          'member',
        );
  return { status: 200, contentType: 'text/xml;charset=UTF-8', body: xmlHead + body };
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n';

export function problemAnswer(protocol: Protocol, problem: Problem, requestId: string): Answer {
  const { code, message, status = 400 } = problem;
  if (protocol === 'json') {
    const body = JSON.stringify({ __type: code, message });
    return { status, contentType: 'application/x-amz-json-1.1', body };
  }
  const body =
    protocol === 'ec2'
      ? `<Response><Errors>${toXml('Error', { Code: code, Message: message }, 'item')}</Errors><RequestID>${requestId}</RequestID></Response>`
      : toXml(
          'ErrorResponse',
          {
            Error: { Type: status >= 500 ? 'Receiver' : 'Sender', Code: code, Message: message },
            RequestId: requestId,
          },
          'member',
        );
  return { status, contentType: 'text/xml;charset=UTF-8', body: xmlHead + body };
}

export const plain = (status: number, body: Json): Answer => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});
