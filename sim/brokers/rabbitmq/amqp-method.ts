/** A method of AMQP 0-9-1, as errors name it. */
export interface AmqpMethod {
  readonly name: string;
  readonly classId: number;
  readonly methodId: number;
}

const IDS = {
  ChannelOpen: [20, 10],
  ExchangeDeclare: [40, 10],
  ExchangeDelete: [40, 20],
  ExchangeBind: [40, 30],
  ExchangeUnbind: [40, 40],
  QueueDeclare: [50, 10],
  QueueBind: [50, 20],
  QueuePurge: [50, 30],
  QueueDelete: [50, 40],
  QueueUnbind: [50, 50],
  BasicQos: [60, 10],
  BasicConsume: [60, 20],
  BasicCancel: [60, 30],
  BasicPublish: [60, 40],
  BasicGet: [60, 70],
  BasicAck: [60, 80],
  BasicReject: [60, 90],
  BasicRecover: [60, 110],
  BasicNack: [60, 120],
} as const;

export type MethodName = keyof typeof IDS;

/** What the server names when it closes a channel on its own. */
export const NO_METHOD: AmqpMethod = { name: "", classId: 0, methodId: 0 };

export function methodOf(name: MethodName): AmqpMethod {
  const [classId, methodId] = IDS[name];
  return { name, classId, methodId };
}
