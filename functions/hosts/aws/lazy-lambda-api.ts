/** The way to the Lambda service, loaded when it is first gone: most messages need no workflow, and a signature takes a library. */
import type { LambdaApi } from '../../../shared/workflow/lambda-durable/api.ts';
import type { LambdaApiOptions } from '../../../shared/workflow/lambda-durable/http-api.ts';

export function lazyLambdaApi(options: LambdaApiOptions): LambdaApi {
  let opening: Promise<LambdaApi> | undefined;
  const api = (): Promise<LambdaApi> => {
    opening ??= import('../../../shared/workflow/lambda-durable/http-api.ts').then(({ openLambdaApi }) =>
      openLambdaApi(options),
    );
    return opening;
  };
  return {
    functionName: options.functionName,
    start: async (...given) => (await api()).start(...given),
    execution: async (...given) => (await api()).execution(...given),
    find: async (...given) => (await api()).find(...given),
    list: async (...given) => (await api()).list(...given),
    history: async (...given) => (await api()).history(...given),
    stop: async (...given) => (await api()).stop(...given),
    completeCallback: async (...given) => (await api()).completeCallback(...given),
    close: () => void opening?.then((opened) => opened.close()),
  };
}
