import type { RedisClient } from "../../../sim/brokers/redis/client.ts";
import { type Observation, outcomeOf } from "./observation.ts";
import { repliesOf } from "./redis-mistakes.ts";

/** Commands one after the other on the same keys, and what the server replied to each. */
const REPLIES: readonly (readonly [command: string, reply: string])[] = [
  ["xinfo", "ERR wrong number of arguments for 'xinfo' command"],
  ["xinfo NOTHING", "ERR unknown subcommand 'NOTHING'. Try XINFO HELP."],
  ["xinfo NOTHING orders", "ERR unknown subcommand 'NOTHING'. Try XINFO HELP."],
  ["xinfo STREAM", "ERR wrong number of arguments for 'xinfo|stream' command"],
  ["xinfo STREAM none", "ERR no such key"],
  [
    "xinfo STREAM orders MORE",
    "ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.",
  ],
  [
    "xinfo STREAM orders MORE x",
    "ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.",
  ],
  ["xinfo GROUPS none", "ERR no such key"],
  ["xinfo GROUPS", "ERR wrong number of arguments for 'xinfo|groups' command"],
  ["xinfo CONSUMERS orders", "ERR wrong number of arguments for 'xinfo|consumers' command"],
  [
    "xinfo CONSUMERS orders nobody",
    "NOGROUP No such consumer group 'nobody' for key name 'orders'",
  ],
  ["xinfo CONSUMERS none nobody", "ERR no such key"],
  [
    "xinfo GROUPS orders",
    '[["name","triggerer","consumers",0,"pending",0,"last-delivered-id","0-0","entries-read",null,"lag",0]]',
  ],
  ["xinfo CONSUMERS orders triggerer", "[]"],
  ["xread", "ERR wrong number of arguments for 'xread' command"],
  ["xread STREAMS", "ERR wrong number of arguments for 'xread' command"],
  ["xread STREAMS orders", "ERR wrong number of arguments for 'xread' command"],
  ["xread STREAMS orders 0", "null"],
  ["xread STREAMS orders x", "ERR Invalid stream ID specified as stream command argument"],
  [
    "xread STREAMS orders >",
    "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.",
  ],
  [
    "xread STREAMS orders none $",
    "ERR Unbalanced XREAD list of streams: for each stream key an ID or '$' must be specified.",
  ],
  ["xread STREAMS none 0", "null"],
  [
    "xread NOACK STREAMS orders 0",
    "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.",
  ],
  [
    "xread GROUP a b STREAMS orders 0",
    "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.",
  ],
  ["xread COUNT x STREAMS orders 0", "ERR value is not an integer or out of range"],
  ["xread BLOCK -1 STREAMS orders $", "ERR timeout is negative"],
  ["xread BLOCK x STREAMS orders $", "ERR timeout is not an integer or out of range"],
  ["xread MORE 1 STREAMS orders 0", "ERR syntax error"],
  ["xadd orders MAXLEN 5 NOMKSTREAM", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders NOMKSTREAM * a", "ERR wrong number of arguments for 'xadd' command"],
  ["xadd orders NOMKSTREAM NOMKSTREAM * a", "ERR wrong number of arguments for 'xadd' command"],
  ["xsetid none 1-1", "ERR no such key"],
  ["xsetid orders x", "ERR Invalid stream ID specified as stream command argument"],
  ["xsetid orders 1-1 MORE", "ERR syntax error"],
  ["set text 1", '"OK"'],
  ["xadd text * a b", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xadd text 1-1 a b", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xack text triggerer 1-1", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xread STREAMS text x", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xread STREAMS text >", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xread STREAMS orders text x 0", "ERR Invalid stream ID specified as stream command argument"],
  [
    "xclaim text triggerer a 0 1-1",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  [
    "xautoclaim text triggerer a 0 0",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  ["xpending text triggerer", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  [
    "xpending text triggerer - + 1",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  ["xdel text 1-1", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xtrim text MAXLEN 1", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xlen text", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xrange text - +", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xrevrange text + -", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xsetid text 1-1", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xgroup CREATE text g $", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  [
    "xgroup CREATE text g $ MKSTREAM",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  ["xgroup SETID text g $", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xgroup DESTROY text g", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  [
    "xgroup CREATECONSUMER text g a",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  [
    "xgroup DELCONSUMER text g a",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  ["xinfo STREAM text", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xinfo GROUPS text", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xinfo CONSUMERS text g", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["xread STREAMS text 0", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  [
    "xread STREAMS orders text 0 0",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  [
    "xreadgroup GROUP triggerer a STREAMS text >",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  [
    "xreadgroup GROUP triggerer a STREAMS orders text > >",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
  ],
  ["getdel orders", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["incr orders", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["incrby orders 1", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["decr orders", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["decrby orders 1", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["setnx orders 1", "0"],
  ["set orders 1 NX", "null"],
  ["set orders 1 GET", "WRONGTYPE Operation against a key holding the wrong kind of value"],
  ["set none 1 XX", "null"],
  ["exists orders text none orders", "3"],
  ["type text", '"string"'],
  ["xadd s 1-1 a 1", '"1-1"'],
  [
    "xadd s 1-1 a 1",
    "ERR The ID specified in XADD is equal or smaller than the target stream top item",
  ],
  [
    "xadd s 1-0 a 1",
    "ERR The ID specified in XADD is equal or smaller than the target stream top item",
  ],
  ["xadd s 1-* a 2", '"1-2"'],
  ["xadd s 1-* a 3", '"1-3"'],
  ["xadd s 2-* a 4", '"2-0"'],
  ["xadd s 0-0 a 1", "ERR The ID specified in XADD must be greater than 0-0"],
  ["xadd s 5 b 1", '"5-0"'],
  ["xadd s 5-3 b 2 c 3", '"5-3"'],
  ["xadd s 5-x b 2", "ERR Invalid stream ID specified as stream command argument"],
  ["xadd s 5-3-1 b 2", "ERR Invalid stream ID specified as stream command argument"],
  ["xlen s", "6"],
  [
    "xrange s - +",
    '[["1-1",["a","1"]],["1-2",["a","2"]],["1-3",["a","3"]],["2-0",["a","4"]],["5-0",["b","1"]],["5-3",["b","2","c","3"]]]',
  ],
  ["xrange s 1 1", '[["1-1",["a","1"]],["1-2",["a","2"]],["1-3",["a","3"]]]'],
  ["xrange s 1-2 5-0", '[["1-2",["a","2"]],["1-3",["a","3"]],["2-0",["a","4"]],["5-0",["b","1"]]]'],
  [
    "xrange s (1-1 (5-3",
    '[["1-2",["a","2"]],["1-3",["a","3"]],["2-0",["a","4"]],["5-0",["b","1"]]]',
  ],
  [
    "xrange s (1-2 +",
    '[["1-3",["a","3"]],["2-0",["a","4"]],["5-0",["b","1"]],["5-3",["b","2","c","3"]]]',
  ],
  ["xrange s 5 5", '[["5-0",["b","1"]],["5-3",["b","2","c","3"]]]'],
  ["xrange s + -", "[]"],
  ["xrange s - + COUNT 2", '[["1-1",["a","1"]],["1-2",["a","2"]]]'],
  [
    "xrange s - + COUNT 9",
    '[["1-1",["a","1"]],["1-2",["a","2"]],["1-3",["a","3"]],["2-0",["a","4"]],["5-0",["b","1"]],["5-3",["b","2","c","3"]]]',
  ],
  ["xrange s (5-3 +", "[]"],
  ["xrange s - (1-1", "[]"],
  ["xrange s (0-0 (1-1", "[]"],
  [
    "xrange s (18446744073709551615-18446744073709551615 +",
    "ERR invalid start ID for the interval",
  ],
  ["xrange s - (0-0", "ERR invalid end ID for the interval"],
  [
    "xrevrange s + -",
    '[["5-3",["b","2","c","3"]],["5-0",["b","1"]],["2-0",["a","4"]],["1-3",["a","3"]],["1-2",["a","2"]],["1-1",["a","1"]]]',
  ],
  ["xrevrange s + - COUNT 2", '[["5-3",["b","2","c","3"]],["5-0",["b","1"]]]'],
  [
    "xrevrange s 5 1-3",
    '[["5-3",["b","2","c","3"]],["5-0",["b","1"]],["2-0",["a","4"]],["1-3",["a","3"]]]',
  ],
  [
    "xrevrange s (5-3 (1-1",
    '[["5-0",["b","1"]],["2-0",["a","4"]],["1-3",["a","3"]],["1-2",["a","2"]]]',
  ],
  ["xrevrange s 2 2", '[["2-0",["a","4"]]]'],
  ["xread COUNT 1 STREAMS s 0", '[["s",[["1-1",["a","1"]]]]]'],
  ["xread COUNT 0 STREAMS s 2", '[["s",[["5-0",["b","1"]],["5-3",["b","2","c","3"]]]]]'],
  ["xread COUNT 2 STREAMS s 1-1", '[["s",[["1-2",["a","2"]],["1-3",["a","3"]]]]]'],
  ["xread STREAMS s 5", '[["s",[["5-3",["b","2","c","3"]]]]]'],
  ["xread STREAMS s 5-3", "null"],
  ["xread STREAMS s orders 5 0", '[["s",[["5-3",["b","2","c","3"]]]]]'],
  ["xread STREAMS s $", "null"],
  [
    "xinfo STREAM s",
    '["length",6,"radix-tree-keys",1,"radix-tree-nodes",2,"last-generated-id","5-3","max-deleted-entry-id","0-0","entries-added",6,"recorded-first-entry-id","1-1","groups",0,"first-entry",["1-1",["a","1"]],"last-entry",["5-3",["b","2","c","3"]]]',
  ],
  ["xgroup CREATE s g 0", '"OK"'],
  ["xgroup CREATE s h 1-3", '"OK"'],
  ["xgroup CREATE s i $", '"OK"'],
  ["xgroup CREATE s j 5 ENTRIESREAD 2", '"OK"'],
  ["xgroup CREATE s k 0 ENTRIESREAD -1", '"OK"'],
  ["xgroup CREATE s l 9-9", '"OK"'],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",0,"pending",0,"last-delivered-id","0-0","entries-read",null,"lag",6],["name","h","consumers",0,"pending",0,"last-delivered-id","1-3","entries-read",null,"lag",null],["name","i","consumers",0,"pending",0,"last-delivered-id","5-3","entries-read",null,"lag",0],["name","j","consumers",0,"pending",0,"last-delivered-id","5-0","entries-read",2,"lag",4],["name","k","consumers",0,"pending",0,"last-delivered-id","0-0","entries-read",null,"lag",6],["name","l","consumers",0,"pending",0,"last-delivered-id","9-9","entries-read",null,"lag",null]]',
  ],
  ["xreadgroup GROUP g a COUNT 1 STREAMS s >", '[["s",[["1-1",["a","1"]]]]]'],
  ["xreadgroup GROUP g b COUNT 2 STREAMS s >", '[["s",[["1-2",["a","2"]],["1-3",["a","3"]]]]]'],
  [
    "xreadgroup GROUP g b COUNT 0 NOACK STREAMS s >",
    '[["s",[["2-0",["a","4"]],["5-0",["b","1"]],["5-3",["b","2","c","3"]]]]]',
  ],
  ["xreadgroup GROUP g b STREAMS s >", "null"],
  ["xreadgroup GROUP g a STREAMS s 0", '[["s",[["1-1",["a","1"]]]]]'],
  ["xreadgroup GROUP g b STREAMS s 1-2", '[["s",[["1-3",["a","3"]]]]]'],
  ["xreadgroup GROUP g c STREAMS s 0", '[["s",[]]]'],
  [
    "xreadgroup GROUP h a STREAMS s orders > 0",
    "NOGROUP No such key 'orders' or consumer group 'h' in XREADGROUP with GROUP option",
  ],
  ["xreadgroup GROUP j a COUNT 1 STREAMS s >", '[["s",[["5-3",["b","2","c","3"]]]]]'],
  ["xreadgroup GROUP k a COUNT 1 STREAMS s >", '[["s",[["1-1",["a","1"]]]]]'],
  ["xreadgroup GROUP l a COUNT 1 STREAMS s >", "null"],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",3,"pending",3,"last-delivered-id","5-3","entries-read",6,"lag",0],["name","h","consumers",0,"pending",0,"last-delivered-id","1-3","entries-read",null,"lag",null],["name","i","consumers",0,"pending",0,"last-delivered-id","5-3","entries-read",null,"lag",0],["name","j","consumers",1,"pending",1,"last-delivered-id","5-3","entries-read",3,"lag",3],["name","k","consumers",1,"pending",1,"last-delivered-id","1-1","entries-read",1,"lag",5],["name","l","consumers",0,"pending",0,"last-delivered-id","9-9","entries-read",null,"lag",null]]',
  ],
  ["xpending s g", '[3,"1-1","1-3",[["a","1"],["b","2"]]]'],
  ["xpending s h", "[0,null,null,null]"],
  ["xpending s i", "[0,null,null,null]"],
  ["xpending s g IDLE 100000 - + 10", "[]"],
  ["xpending s h - + 0", "[]"],
  ["xclaim s g c 0 1-1 JUSTID", '["1-1"]'],
  ["xclaim s g c 0 1-2 5-3 JUSTID", '["1-2"]'],
  ["xclaim s g c 0 5-3 FORCE JUSTID", '["5-3"]'],
  ["xclaim s g c 0 7-7 FORCE JUSTID", "[]"],
  ["xclaim s g c 100000 1-3 JUSTID", "[]"],
  ["xclaim s g c 0 1-3 TIME 0 RETRYCOUNT 4 JUSTID", '["1-3"]'],
  ["xclaim s g c 0 1-3", '[["1-3",["a","3"]]]'],
  ["xclaim s g c 0 1-3 LASTID 5-9 JUSTID", '["1-3"]'],
  ["xclaim s g c 0 1-3 LASTID 1-1 JUSTID", '["1-3"]'],
  ["xpending s g", '[4,"1-1","5-3",[["c","4"]]]'],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",3,"pending",4,"last-delivered-id","5-9","entries-read",6,"lag",0],["name","h","consumers",0,"pending",0,"last-delivered-id","1-3","entries-read",null,"lag",null],["name","i","consumers",0,"pending",0,"last-delivered-id","5-3","entries-read",null,"lag",0],["name","j","consumers",1,"pending",1,"last-delivered-id","5-3","entries-read",3,"lag",3],["name","k","consumers",1,"pending",1,"last-delivered-id","1-1","entries-read",1,"lag",5],["name","l","consumers",0,"pending",0,"last-delivered-id","9-9","entries-read",null,"lag",null]]',
  ],
  ["xautoclaim s g d 0 0 COUNT 1 JUSTID", '["1-2",["1-1"],[]]'],
  ["xautoclaim s g d 0 1-2 COUNT 2 JUSTID", '["5-3",["1-2","1-3"],[]]'],
  ["xautoclaim s g d 0 (1-1 COUNT 1", '["1-3",[["1-2",["a","2"]]],[]]'],
  ["xautoclaim s g d 100000 0", '["0-0",[],[]]'],
  ["xautoclaim s g d 0 6", '["0-0",[],[]]'],
  ["xpending s g", '[4,"1-1","5-3",[["c","1"],["d","3"]]]'],
  ["xdel s 1-2 9-9 1-2", "1"],
  ["xdel s 1-1", "1"],
  [
    "xinfo STREAM s",
    '["length",4,"radix-tree-keys",1,"radix-tree-nodes",2,"last-generated-id","5-3","max-deleted-entry-id","1-2","entries-added",6,"recorded-first-entry-id","1-3","groups",6,"first-entry",["1-3",["a","3"]],"last-entry",["5-3",["b","2","c","3"]]]',
  ],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",4,"pending",4,"last-delivered-id","5-9","entries-read",6,"lag",0],["name","h","consumers",0,"pending",0,"last-delivered-id","1-3","entries-read",null,"lag",3],["name","i","consumers",0,"pending",0,"last-delivered-id","5-3","entries-read",null,"lag",0],["name","j","consumers",1,"pending",1,"last-delivered-id","5-3","entries-read",3,"lag",3],["name","k","consumers",1,"pending",1,"last-delivered-id","1-1","entries-read",1,"lag",5],["name","l","consumers",0,"pending",0,"last-delivered-id","9-9","entries-read",null,"lag",null]]',
  ],
  ["xreadgroup GROUP g d STREAMS s 0", '[["s",[["1-1",null],["1-2",null],["1-3",["a","3"]]]]]'],
  ["xclaim s g a 0 1-1 1-2", "[]"],
  ["xautoclaim s g a 0 0", '["0-0",[["1-3",["a","3"]],["5-3",["b","2","c","3"]]],[]]'],
  ["xpending s g", '[2,"1-3","5-3",[["a","2"]]]'],
  ["xack s g 1-3", "1"],
  ["xack s g 1-3 5-3 5-3", "1"],
  ["xpending s g", "[0,null,null,null]"],
  ["xgroup CREATECONSUMER s g z", "1"],
  ["xgroup CREATECONSUMER s g z", "0"],
  ["xgroup DELCONSUMER s g z", "0"],
  ["xgroup DELCONSUMER s h a", "0"],
  ["xpending s h", "[0,null,null,null]"],
  ["xgroup SETID s g 0", '"OK"'],
  ["xgroup SETID s h $", '"OK"'],
  ["xgroup SETID s i 2-0 ENTRIESREAD 3", '"OK"'],
  ["xgroup SETID s i 2-0 ENTRIESREAD x", "ERR value is not an integer or out of range"],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",4,"pending",0,"last-delivered-id","0-0","entries-read",null,"lag",4],["name","h","consumers",0,"pending",0,"last-delivered-id","5-3","entries-read",null,"lag",0],["name","i","consumers",0,"pending",0,"last-delivered-id","2-0","entries-read",3,"lag",3],["name","j","consumers",1,"pending",1,"last-delivered-id","5-3","entries-read",3,"lag",3],["name","k","consumers",1,"pending",1,"last-delivered-id","1-1","entries-read",1,"lag",5],["name","l","consumers",0,"pending",0,"last-delivered-id","9-9","entries-read",null,"lag",null]]',
  ],
  ["xsetid s 1-1", "ERR The ID specified in XSETID is smaller than the target stream top item"],
  ["xsetid s 5-3", '"OK"'],
  ["xsetid s 8-0", '"OK"'],
  [
    "xadd s 7-0 a b",
    "ERR The ID specified in XADD is equal or smaller than the target stream top item",
  ],
  ["xadd s 8-* a b", '"8-1"'],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",4,"pending",0,"last-delivered-id","0-0","entries-read",null,"lag",5],["name","h","consumers",0,"pending",0,"last-delivered-id","5-3","entries-read",null,"lag",null],["name","i","consumers",0,"pending",0,"last-delivered-id","2-0","entries-read",3,"lag",4],["name","j","consumers",1,"pending",1,"last-delivered-id","5-3","entries-read",3,"lag",4],["name","k","consumers",1,"pending",1,"last-delivered-id","1-1","entries-read",1,"lag",6],["name","l","consumers",0,"pending",0,"last-delivered-id","9-9","entries-read",null,"lag",null]]',
  ],
  ["xtrim s MAXLEN 3", "2"],
  ["xtrim s MINID 5-3", "1"],
  ["xtrim s MINID = 9", "2"],
  ["xtrim s MAXLEN ~ 1", "0"],
  ["xtrim s MAXLEN = 0", "0"],
  ["xlen s", "0"],
  [
    "xinfo STREAM s",
    '["length",0,"radix-tree-keys",0,"radix-tree-nodes",1,"last-generated-id","8-1","max-deleted-entry-id","1-2","entries-added",7,"recorded-first-entry-id","0-0","groups",6,"first-entry",null,"last-entry",null]',
  ],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",4,"pending",0,"last-delivered-id","0-0","entries-read",null,"lag",0],["name","h","consumers",0,"pending",0,"last-delivered-id","5-3","entries-read",null,"lag",0],["name","i","consumers",0,"pending",0,"last-delivered-id","2-0","entries-read",3,"lag",4],["name","j","consumers",1,"pending",1,"last-delivered-id","5-3","entries-read",3,"lag",4],["name","k","consumers",1,"pending",1,"last-delivered-id","1-1","entries-read",1,"lag",6],["name","l","consumers",0,"pending",0,"last-delivered-id","9-9","entries-read",null,"lag",null]]',
  ],
  ["xadd s MAXLEN 1 9-1 a b", '"9-1"'],
  ["xadd s MAXLEN = 1 9-2 a b", '"9-2"'],
  ["xadd s MINID 9-3 9-3 a b", '"9-3"'],
  ["xadd s MAXLEN 0 9-4 a b", '"9-4"'],
  ["xlen s", "0"],
  ["xgroup DESTROY s g", "1"],
  ["xgroup DESTROY s g", "0"],
  ["del s orders none", "2"],
  ["exists s", "0"],
  ["xgroup CREATE s g $ MKSTREAM", '"OK"'],
  ["xgroup CREATE s h 5-5 MKSTREAM", '"OK"'],
  [
    "xinfo GROUPS s",
    '[["name","g","consumers",0,"pending",0,"last-delivered-id","0-0","entries-read",null,"lag",0],["name","h","consumers",0,"pending",0,"last-delivered-id","5-5","entries-read",null,"lag",0]]',
  ],
  [
    "xinfo STREAM s",
    '["length",0,"radix-tree-keys",0,"radix-tree-nodes",1,"last-generated-id","0-0","max-deleted-entry-id","0-0","entries-added",0,"recorded-first-entry-id","0-0","groups",2,"first-entry",null,"last-entry",null]',
  ],
  ["unlink s text", "2"],
  ["set n 10 EX 100", '"OK"'],
  ["incr n", "11"],
  ["ttl n", "100"],
  ["decrby n 20", "-9"],
  ["get n", '"-9"'],
  ["set n 5 XX KEEPTTL", '"OK"'],
  ["ttl n", "100"],
  ["set n 6 XX", '"OK"'],
  ["ttl n", "-1"],
  ["set n 7 GET EX 100", '"6"'],
  ["ttl n", "100"],
  ["set n 8 NX GET", '"7"'],
  ["get n", '"7"'],
  ["set m 8 NX GET", "null"],
  ["get m", '"8"'],
  ["set m 9 XX GET KEEPTTL", '"8"'],
  ["set o 1 XX GET", "null"],
  ["get o", "null"],
  ["set o 007", '"OK"'],
  ["incr o", "ERR value is not an integer or out of range"],
  ["set o -5", '"OK"'],
  ["incr o", "-4"],
  ["incrby o -1", "-5"],
  ["decrby o -7", "2"],
  ["set o -0", '"OK"'],
  ["incr o", "ERR value is not an integer or out of range"],
  ["set o 9007199254740991", '"OK"'],
  ["incr o", "9007199254740992"],
  ["incr o", "9007199254740992"],
  ["set o 9223372036854775806", '"OK"'],
  ["incr o", "9223372036854776000"],
  ["incr o", "ERR increment or decrement would overflow"],
  ["get o", '"9223372036854775807"'],
  ["set o -9223372036854775807", '"OK"'],
  ["decr o", "-9223372036854776000"],
  ["decr o", "ERR increment or decrement would overflow"],
  ["get o", '"-9223372036854775808"'],
  ["decrby o 9223372036854775807", "ERR increment or decrement would overflow"],
  ["incrby o 9223372036854775808", "ERR value is not an integer or out of range"],
  ["set o 9223372036854775808", '"OK"'],
  ["incr o", "ERR value is not an integer or out of range"],
  ["set o 1.5", '"OK"'],
  ["incr o", "ERR value is not an integer or out of range"],
  ["set p 1 PX 100000 NX", '"OK"'],
  ["set p 1 PX 100000 NX", "null"],
  ["set p 1 EXAT 1", '"OK"'],
  ["set p 1 PXAT 1", '"OK"'],
  ["exists p", "0"],
  ["set q 1 EXAT 0", "ERR invalid expire time in 'set' command"],
  ["set q 1 PXAT -1", "ERR invalid expire time in 'set' command"],
  ["set q 1 ex 10 nx", '"OK"'],
  ["get q", '"1"'],
  ["expire q 100 MORE", "ERR Unsupported option MORE"],
  ["expire q x", "ERR value is not an integer or out of range"],
  ["pexpire q x", "ERR value is not an integer or out of range"],
  ["expire q 100", "1"],
  ["pexpire q 100000", "1"],
  ["ttl q", "100"],
  ["pexpire none 1", "0"],
  ["expire q -1", "1"],
  ["exists q", "0"],
  ["pexpire m 0", "1"],
  ["exists m", "0"],
  ["setex r 100 1", '"OK"'],
  ["setex r x 1", "ERR value is not an integer or out of range"],
  ["psetex r 0 1", "ERR invalid expire time in 'psetex' command"],
  ["psetex r -1 1", "ERR invalid expire time in 'psetex' command"],
  ["psetex r 100000 2", '"OK"'],
  ["getdel r", '"2"'],
  ["getdel r", "null"],
  ["ping", '"PONG"'],
  ["ping hello", '"hello"'],
  ["ping a b", "ERR wrong number of arguments for 'ping' command"],
  ["time x", "ERR wrong number of arguments for 'time' command"],
  ["del", "ERR wrong number of arguments for 'del' command"],
  ["unlink", "ERR wrong number of arguments for 'unlink' command"],
  ["exists", "ERR wrong number of arguments for 'exists' command"],
  ["type", "ERR wrong number of arguments for 'type' command"],
  ["type a b", "ERR wrong number of arguments for 'type' command"],
  ["xlen a b", "ERR wrong number of arguments for 'xlen' command"],
  ["xgroup CREATE u g 0 MKSTREAM", '"OK"'],
  ["xgroup DESTROY u g MORE", "ERR wrong number of arguments for 'xgroup|destroy' command"],
  [
    "xgroup CREATECONSUMER u g a MORE",
    "ERR wrong number of arguments for 'xgroup|createconsumer' command",
  ],
  [
    "xgroup DELCONSUMER u g a MORE",
    "ERR wrong number of arguments for 'xgroup|delconsumer' command",
  ],
  [
    "xgroup SETID u g 0 MORE",
    "ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.",
  ],
  [
    "xgroup SETID u g 0 MKSTREAM",
    "ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.",
  ],
  ["xgroup SETID u g x ENTRIESREAD y", "ERR value is not an integer or out of range"],
  [
    "xgroup SETID u g 0 ENTRIESREAD",
    "ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.",
  ],
  ["xgroup SETID u g 0 ENTRIESREAD -2", "ERR value for ENTRIESREAD must be positive or -1"],
  ["xgroup SETID u g 0 ENTRIESREAD -1", '"OK"'],
  ["xgroup SETID u g 0 ENTRIESREAD 7", '"OK"'],
  [
    "xinfo GROUPS u",
    '[["name","g","consumers",0,"pending",0,"last-delivered-id","0-0","entries-read",7,"lag",0]]',
  ],
  ["decrby o -9223372036854775808", "ERR decrement would overflow"],
  ["decrby u x", "ERR value is not an integer or out of range"],
  ["set o 0", '"OK"'],
  ["incrby o -9223372036854775808", "-9223372036854776000"],
  ["incrby o -1", "ERR increment or decrement would overflow"],
  ["decrby o 0", "-9223372036854776000"],
  ["xpending u g (0-0 + 5", "[]"],
  ["xpending u g - (0-0 5", "ERR invalid end ID for the interval"],
  [
    "xautoclaim u g a 0 (18446744073709551615-18446744073709551615",
    "ERR invalid start ID for the interval",
  ],
];

/** Commands that are seldom sent, or to keys of another kind; what XINFO tells after each change. */
export const REDIS_RARELY: readonly Observation<RedisClient>[] = [
  {
    name: "commands that are seldom sent, one after the other",
    play: ({ client }) =>
      repliesOf(
        client,
        REPLIES.map(([command]) => command),
      ),
    real: REPLIES,
  },
  {
    name: "transactions and pipelines that call back, or are empty",
    async play({ client }) {
      const seen: unknown[] = [];
      const back = (error: Error | null, results?: unknown): void =>
        void seen.push(error === null ? results : error.message);
      await client.pipeline().call("PING").call("set", "a", "1").exec(back);
      await client.multi([["get", "a"]]).exec(back);
      const failing = client.multi([["get"]]).exec(back);
      seen.push(await outcomeOf(() => failing));
      seen.push(await client.multi().exec(), await client.pipeline().exec());
      await client.get("a", (error, value) => void seen.push(error, value));
      await outcomeOf(() => client.get("orders", (error) => void seen.push(error?.message)));
      return seen;
    },
    real: [
      [
        [null, "PONG"],
        [null, "OK"],
      ],
      [[null, "1"]],
      "EXECABORT Transaction discarded because of previous errors.",
      {
        name: "ReplyError",
        message: "EXECABORT Transaction discarded because of previous errors.",
      },
      [],
      [],
      null,
      "1",
      "WRONGTYPE Operation against a key holding the wrong kind of value",
    ],
  },
  {
    name: "a client connects once, reports its end, and takes nothing behind it",
    async play({ client, pass }) {
      const told: string[] = [];
      for (const event of ["close", "end"]) client.on(event, () => void told.push(event));
      await client.ping();
      const twice = [client.status, await outcomeOf(() => client.connect())];
      const last = client.ping("last");
      const quit = client.quit();
      const late = await outcomeOf(() => client.ping());
      const ended = [await last, await quit];
      await pass(100);
      const after = [client.status, await outcomeOf(() => client.quit())];
      client.disconnect();
      await pass(100);
      return [twice, late, ended, after, told];
    },
    real: [
      ["ready", { name: "Error", message: "Redis is already connecting/connected" }],
      { name: "Error", message: "Connection is closed." },
      ["last", "OK"],
      ["end", { name: "Error", message: "Connection is closed." }],
      ["close", "end"],
    ],
  },
  {
    name: "of two calls of quit the second is lost with the connection",
    async play({ client }) {
      await client.ping();
      return await Promise.all([client.quit(), client.quit()].map((one) => outcomeOf(() => one)));
    },
    real: ["OK", { name: "Error", message: "Connection is closed." }],
  },
  {
    name: "a client that has ended connects again",
    async play({ client, pass, publish }) {
      const told: string[] = [];
      const events = ["connecting", "connect", "ready", "close", "end"];
      await client.ping();
      await pass(100);
      for (const event of events) client.on(event, () => void told.push(event));
      const read = ["GROUP", "triggerer", "a", "BLOCK", 0, "STREAMS", "orders", ">"] as const;
      const cut = outcomeOf(() => client.xreadgroup(...read));
      await pass(100);
      client.disconnect();
      await pass(100);
      const before = [await cut, client.status];
      const connected = await outcomeOf(() => client.connect());
      await publish(1);
      const after = [client.status, await client.xlen("orders"), await client.quit()];
      await pass(100);
      return [before, connected, after, told];
    },
    real: [
      [{ name: "Error", message: "Connection is closed." }, "end"],
      "nothing",
      ["ready", 1, "OK"],
      ["close", "end", "connecting", "connect", "ready", "close", "end"],
    ],
  },
  {
    name: "a client is told to connect again: what has no reply is sent anew",
    async play({ client, pass, publish }) {
      const reader = client.duplicate();
      const told: unknown[] = [];
      await reader.ping();
      await pass(100);
      const events = ["connecting", "connect", "ready", "close", "reconnecting", "end"];
      for (const event of events) {
        reader.on(event, () => void told.push(event));
      }
      const read = ["GROUP", "triggerer", "a", "BLOCK", 0, "STREAMS", "orders", ">"] as const;
      const waiting = outcomeOf(() => reader.xreadgroup(...read));
      await pass(100);
      reader.disconnect(true);
      const behind = outcomeOf(() => reader.xlen("orders"));
      await pass(20);
      const between = reader.status;
      await pass(300);
      await publish(1);
      const got = (await waiting) as readonly (readonly [string, readonly unknown[]])[];
      const after = [got[0]?.[1].length, await behind, reader.status];
      reader.disconnect();
      await pass(100);
      return [between, after, told, reader.status];
    },
    real: [
      "reconnecting",
      [1, 1, "ready"],
      ["close", "reconnecting", "connecting", "connect", "ready", "close", "end"],
      "end",
    ],
  },
];
