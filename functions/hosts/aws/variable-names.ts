/**
 * Variables of the functions that say where the things around them are. serverless.yml sets them; they are no part of the configuration,
 * so they don't begin like one.
 */
export const variableNames = {
  stateTable: 'STATE_TABLE',
  eventsQueue: 'EVENTS_QUEUE_URL',
  eventsDeadLetters: 'EVENTS_DEAD_LETTERS_URL',
  interruptionsQueue: 'INTERRUPTIONS_QUEUE_URL',
  interruptionsDeadLetters: 'INTERRUPTIONS_DEAD_LETTERS_URL',
  /** The durable function and the alias under which executions are started: without a qualifier AWS refuses them. */
  workflowsFunction: 'WORKFLOWS_FUNCTION',
  workflowsAlias: 'WORKFLOWS_ALIAS',
  stepsFunction: 'STEPS_FUNCTION',
  /** With the name of a provider's type behind it, the function that acts for it: `…-provision-` and `ec2`. */
  provisionFunctionPrefix: 'PROVISION_FUNCTION_PREFIX',
} as const;
