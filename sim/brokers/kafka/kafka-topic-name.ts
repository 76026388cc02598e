const TOPIC_NAME = /^(?!\.{1,2}$)[\w.-]{1,249}$/;

/** Whether the server takes it for the name of a topic. */
export function isTopicName(name: string): boolean {
  return TOPIC_NAME.test(name);
}
