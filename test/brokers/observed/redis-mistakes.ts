import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import type { Observation } from "./observation.ts";

/** Commands with arguments that are wrong or at the edge, and what the server replied to each. */
const REPLIES: readonly (readonly [command: string, reply: string])[] = [
  ["xadd", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders *", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders * a", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders * a b c", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders nonsense a b", "ERR Invalid stream ID specified as stream command argument"],
  ["xadd orders MAXLEN", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders MAXLEN 5", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders MAXLEN * a b", "ERR value is not an integer or out of range"],
  ["xadd orders MAXLEN x * a b", "ERR value is not an integer or out of range"],
  ["xadd orders MAXLEN -1 * a b", "ERR The MAXLEN argument must be >= 0."],
  [
    "xadd orders MAXLEN 5 MINID 0 * a b",
    "ERR syntax error, MAXLEN and MINID options at the same time are not compatible",
  ],
  ["xadd orders MINID x * a b", "ERR Invalid stream ID specified as stream command argument"],
  [
    "xadd orders LIMIT 5 * a b",
    "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy",
  ],
  [
    "xadd orders LIMIT 0 * a b",
    "ERR syntax error, LIMIT cannot be used without the special ~ option",
  ],
  [
    "xadd orders MAXLEN 5 LIMIT 5 * a b",
    "ERR syntax error, LIMIT cannot be used without the special ~ option",
  ],
  [
    "xadd orders MAXLEN = 5 LIMIT 5 * a b",
    "ERR syntax error, LIMIT cannot be used without the special ~ option",
  ],
  ["xadd orders MAXLEN ~ 5 LIMIT -1 * a b", "ERR The LIMIT argument must be >= 0."],
  ["xadd orders MAXLEN ~ 5 LIMIT x * a b", "ERR value is not an integer or out of range"],
  ["xadd none NOMKSTREAM * a b", "null"],
  ["xadd none NOMKSTREAM * a", "ERR wrong number of arguments for 'xadd' command"],
  ["xtrim orders", "ERR wrong number of arguments for 'xtrim' command"],
  ["xtrim orders MAXLEN", "ERR wrong number of arguments for 'xtrim' command"],
  ["xtrim orders MAXLEN x", "ERR value is not an integer or out of range"],
  ["xtrim orders MAXLEN -1", "ERR The MAXLEN argument must be >= 0."],
  ["xtrim orders MAXLEN = -1", "ERR The MAXLEN argument must be >= 0."],
  ["xtrim orders SIZE 5", "ERR syntax error"],
  ["xtrim orders MAXLEN 5 more", "ERR syntax error"],
  [
    "xtrim orders LIMIT 5",
    "ERR syntax error, LIMIT cannot be used without specifying a trimming strategy",
  ],
  ["xtrim orders LIMIT 0", "ERR syntax error, XTRIM must be called with a trimming strategy"],
  [
    "xtrim orders MAXLEN 5 LIMIT 0",
    "ERR syntax error, LIMIT cannot be used without the special ~ option",
  ],
  ["xtrim orders MAXLEN ~ 5 LIMIT 0", "0"],
  [
    "xtrim orders MAXLEN ~ 5 MAXLEN 6",
    "ERR syntax error, MAXLEN and MINID options at the same time are not compatible",
  ],
  ["xtrim orders MINID", "ERR wrong number of arguments for 'xtrim' command"],
  ["xtrim orders MINID (5", "ERR Invalid stream ID specified as stream command argument"],
  ["xtrim none MAXLEN 0", "0"],
  ["xrange orders", "ERR wrong number of arguments for 'xrange' command"],
  ["xrange orders -", "ERR wrong number of arguments for 'xrange' command"],
  ["xrange orders - + COUNT", "ERR syntax error"],
  ["xrange orders - + COUNT x", "ERR value is not an integer or out of range"],
  ["xrange orders - + COUNT 0", "null"],
  ["xrange orders - + COUNT -1", "null"],
  ["xrange orders - + LIMIT 1", "ERR syntax error"],
  ["xrange orders - + COUNT 1 more", "ERR syntax error"],
  ["xrange orders x +", "ERR Invalid stream ID specified as stream command argument"],
  ["xrange orders (- +", "ERR Invalid stream ID specified as stream command argument"],
  ["xrange none - +", "[]"],
  ["xrevrange orders + - COUNT 0", "null"],
  ["xrevrange orders - +", "[]"],
  ["xack", "ERR wrong number of arguments for 'xack' command"],
  ["xack orders", "ERR wrong number of arguments for 'xack' command"],
  ["xack orders triggerer", "ERR wrong number of arguments for 'xack' command"],
  ["xack orders triggerer x", "ERR Invalid stream ID specified as stream command argument"],
  ["xack orders nobody 1-1", "0"],
  ["xack none triggerer 1-1", "0"],
  ["xclaim orders triggerer", "ERR wrong number of arguments for 'xclaim' command"],
  ["xclaim orders triggerer a", "ERR wrong number of arguments for 'xclaim' command"],
  ["xclaim orders triggerer a 0", "ERR wrong number of arguments for 'xclaim' command"],
  ["xclaim orders triggerer a x 1-1", "ERR Invalid min-idle-time argument for XCLAIM"],
  ["xclaim orders triggerer a 0 x", "ERR Unrecognized XCLAIM option 'x'"],
  ["xclaim orders triggerer a 0 1-1 IDLE", "ERR Unrecognized XCLAIM option 'IDLE'"],
  ["xclaim orders triggerer a 0 1-1 IDLE x", "ERR Invalid IDLE option argument for XCLAIM"],
  ["xclaim orders triggerer a 0 1-1 TIME x", "ERR Invalid TIME option argument for XCLAIM"],
  [
    "xclaim orders triggerer a 0 1-1 RETRYCOUNT x",
    "ERR Invalid RETRYCOUNT option argument for XCLAIM",
  ],
  ["xclaim orders triggerer a 0 1-1 RETRYCOUNT -1", "[]"],
  [
    "xclaim orders triggerer a 0 1-1 LASTID x",
    "ERR Invalid stream ID specified as stream command argument",
  ],
  ["xclaim orders triggerer a 0 1-1 MORE", "ERR Unrecognized XCLAIM option 'MORE'"],
  ["xclaim orders nobody a 0 1-1", "NOGROUP No such key 'orders' or consumer group 'nobody'"],
  ["xautoclaim orders triggerer a", "ERR wrong number of arguments for 'xautoclaim' command"],
  ["xautoclaim orders triggerer a x 0", "ERR Invalid min-idle-time argument for XAUTOCLAIM"],
  [
    "xautoclaim orders triggerer a 0 x",
    "ERR Invalid stream ID specified as stream command argument",
  ],
  ["xautoclaim orders triggerer a 0 0 COUNT", "ERR syntax error"],
  ["xautoclaim orders triggerer a 0 0 COUNT x", "ERR COUNT must be > 0"],
  ["xautoclaim orders triggerer a 0 0 COUNT 0", "ERR COUNT must be > 0"],
  ["xautoclaim orders triggerer a 0 0 COUNT -1", "ERR COUNT must be > 0"],
  ["xautoclaim orders triggerer a 0 0 MORE", "ERR syntax error"],
  ["xautoclaim orders triggerer a 0 0 JUSTID MORE", "ERR syntax error"],
  ["xautoclaim orders nobody a 0 0", "NOGROUP No such key 'orders' or consumer group 'nobody'"],
  ["xpending orders", "ERR wrong number of arguments for 'xpending' command"],
  ["xpending orders nobody", "NOGROUP No such key 'orders' or consumer group 'nobody'"],
  ["xpending none triggerer", "NOGROUP No such key 'none' or consumer group 'triggerer'"],
  ["xpending orders triggerer -", "ERR syntax error"],
  ["xpending orders triggerer - +", "ERR syntax error"],
  ["xpending orders triggerer - + x", "ERR value is not an integer or out of range"],
  ["xpending orders triggerer x + 5", "ERR Invalid stream ID specified as stream command argument"],
  ["xpending orders triggerer - x 5", "ERR Invalid stream ID specified as stream command argument"],
  ["xpending orders triggerer - + -1", "[]"],
  ["xpending orders triggerer - + 5 a more", "[]"],
  ["xpending orders triggerer - + 5 a b c", "[]"],
  ["xpending orders triggerer - + 5 a b c d", "ERR syntax error"],
  ["xpending orders triggerer IDLE 5 - + 5 a", "[]"],
  ["xpending orders triggerer IDLE 5 - + 5 a b", "ERR syntax error"],
  ["xpending orders triggerer IDLE x - + 5", "ERR value is not an integer or out of range"],
  ["xpending orders triggerer IDLE 5 - +", "ERR syntax error"],
  ["xreadgroup", "ERR wrong number of arguments for 'xreadgroup' command"],
  ["xreadgroup GROUP triggerer a", "ERR wrong number of arguments for 'xreadgroup' command"],
  [
    "xreadgroup GROUP triggerer a STREAMS",
    "ERR wrong number of arguments for 'xreadgroup' command",
  ],
  [
    "xreadgroup GROUP triggerer a STREAMS orders",
    "ERR wrong number of arguments for 'xreadgroup' command",
  ],
  [
    "xreadgroup GROUP triggerer a STREAMS orders x",
    "ERR Invalid stream ID specified as stream command argument",
  ],
  [
    "xreadgroup GROUP triggerer a STREAMS orders $",
    "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.",
  ],
  [
    "xreadgroup GROUP triggerer a STREAMS orders > >",
    "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
  ],
  [
    "xreadgroup GROUP triggerer a STREAMS none >",
    "NOGROUP No such key 'none' or consumer group 'triggerer' in XREADGROUP with GROUP option",
  ],
  [
    "xreadgroup GROUP nobody a STREAMS orders >",
    "NOGROUP No such key 'orders' or consumer group 'nobody' in XREADGROUP with GROUP option",
  ],
  [
    "xreadgroup GROUP triggerer a COUNT x STREAMS orders >",
    "ERR value is not an integer or out of range",
  ],
  [
    "xreadgroup GROUP triggerer a BLOCK x STREAMS orders >",
    "ERR timeout is not an integer or out of range",
  ],
  ["xreadgroup GROUP triggerer a BLOCK -1 STREAMS orders >", "ERR timeout is negative"],
  ["xreadgroup GROUP triggerer a MORE STREAMS orders >", "ERR syntax error"],
  ["xreadgroup COUNT 1 NOACK STREAMS orders >", "ERR Missing GROUP option for XREADGROUP"],
  ["xgroup", "ERR wrong number of arguments for 'xgroup' command"],
  ["xgroup NOTHING", "ERR unknown subcommand 'NOTHING'. Try XGROUP HELP."],
  ["xgroup NOTHING orders g", "ERR unknown subcommand 'NOTHING'. Try XGROUP HELP."],
  ["xgroup CREATE orders", "ERR wrong number of arguments for 'xgroup|create' command"],
  ["xgroup CREATE orders triggerer $", "BUSYGROUP Consumer Group name already exists"],
  ["xgroup CREATE orders g x", "ERR Invalid stream ID specified as stream command argument"],
  [
    "xgroup CREATE none g $",
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
  ],
  [
    "xgroup CREATE orders g $ MORE",
    "ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.",
  ],
  [
    "xgroup CREATE orders g $ ENTRIESREAD",
    "ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.",
  ],
  ["xgroup CREATE orders g $ ENTRIESREAD x", "ERR value is not an integer or out of range"],
  ["xgroup CREATE orders g $ ENTRIESREAD -2", "ERR value for ENTRIESREAD must be positive or -1"],
  ["xgroup SETID orders nobody $", "NOGROUP No such consumer group 'nobody' for key name 'orders'"],
  ["xgroup SETID orders triggerer x", "ERR Invalid stream ID specified as stream command argument"],
  [
    "xgroup SETID none triggerer $",
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
  ],
  ["xgroup DESTROY orders", "ERR wrong number of arguments for 'xgroup|destroy' command"],
  ["xgroup DESTROY orders nobody", "0"],
  [
    "xgroup DESTROY none nobody",
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
  ],
  [
    "xgroup CREATECONSUMER orders triggerer",
    "ERR wrong number of arguments for 'xgroup|createconsumer' command",
  ],
  [
    "xgroup CREATECONSUMER orders nobody a",
    "NOGROUP No such consumer group 'nobody' for key name 'orders'",
  ],
  [
    "xgroup CREATECONSUMER none triggerer a",
    "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
  ],
  [
    "xgroup DELCONSUMER orders triggerer",
    "ERR wrong number of arguments for 'xgroup|delconsumer' command",
  ],
  [
    "xgroup DELCONSUMER orders nobody a",
    "NOGROUP No such consumer group 'nobody' for key name 'orders'",
  ],
  ["xgroup DELCONSUMER orders triggerer nobody", "0"],
  ["xdel", "ERR wrong number of arguments for 'xdel' command"],
  ["xdel orders", "ERR wrong number of arguments for 'xdel' command"],
  ["xdel orders x", "ERR Invalid stream ID specified as stream command argument"],
  ["xdel none 1-1", "0"],
  ["xlen", "ERR wrong number of arguments for 'xlen' command"],
  ["xlen none", "0"],
  ["xtrim orders MAXLEN 99999999999999999999", "ERR value is not an integer or out of range"],
  [
    "xpending orders triggerer - + 99999999999999999999",
    "ERR value is not an integer or out of range",
  ],
];

type Commands = Readonly<Record<string, (...args: readonly string[]) => Promise<unknown>>>;

/** The error's message, or the reply as JSON; ids hold a time. */
async function replyOf(client: Commands, command: string): Promise<string> {
  const [name = "", ...args] = command.split(" ");
  try {
    return JSON.stringify(await client[name]?.(...args)).replaceAll(/\d{13}-\d+/g, "ID");
  } catch (error) {
    return (error as Error).message;
  }
}

export const REDIS_MISTAKES: Observation<RedisClient> = {
  name: "commands with too few arguments, too many, wrong ones, and of what is not there",
  async play({ client }) {
    const seen: unknown[] = [];
    for (const [command] of REPLIES) {
      seen.push([command, await replyOf(client as unknown as Commands, command)]);
    }
    return seen;
  },
  real: REPLIES,
};
