type EmitterCall =
  | ("addListener" | "prependListener" | "prependOnceListener" | "removeAllListeners")
  | ("listeners" | "rawListeners" | "listenerCount" | "eventNames" | "emit")
  | ("setMaxListeners" | "getMaxListeners");

/** What a connection has of an event emitter besides the calls that are written out. */
export const EMITTER_CALLS: readonly EmitterCall[] = [
  ...(["addListener", "prependListener", "prependOnceListener", "removeAllListeners"] as const),
  ...(["listeners", "rawListeners", "listenerCount", "eventNames", "emit"] as const),
  ...(["setMaxListeners", "getMaxListeners"] as const),
];

/** The commands of ioredis 6 that the model refuses, and as all commands those that give buffers. */
const COMMANDS = `
  acl append arcount ardel ardelrange arget argetrange argrep arinfo arinsert arlastitems arlen
  armget armset arnext arop arring arscan arseek arset asking auth backup bgrewriteaof bgsave
  bitcount bitfield bitfield_ro bitop bitpos blmove blmovem blmpop blpop brpop brpoplpush bzmpop
  bzpopmax bzpopmin client cluster command config copy dbsize debug delex digest discard dump
  echo eval eval_ro evalsha evalsha_ro exec expireat expiretime failover fcall fcall_ro flushall
  flushdb function geoadd geodist geohash geopos georadius georadius_ro georadiusbymember
  georadiusbymember_ro geosearch geosearchstore getbit getex getrange getset hello hexpire
  hexpireat hexpiretime hgetdel hgetex himport hotkeys hpersist hpexpire hpexpireat hpexpiretime
  hpttl hrandfield hscan hsetex httl incrbyfloat increx info keys lastsave latency lcs lmovem
  lolwut memory migrate module move msetex msetnx object pexpireat pexpiretime pfadd pfcount
  pfdebug pfmerge pfselftest psubscribe psync publish pubsub punsubscribe randomkey readonly
  readwrite replconf replicaof reset restore restore-asking role save scan script sdiffcard
  select sentinel setbit setrange shutdown slaveof slowlog sort sort_ro spop spublish
  srandmember sscan ssubscribe strlen subscribe substr sunioncard sunsubscribe swapdb sync touch
  trimslots unsubscribe unwatch vadd vcard vdim vemb vgetattr vinfo vismember vlinks vrandmember
  vrange vrem vsetattr vsim wait waitaof watch xackdel xcfgset xdelex xidmprecord xnack zdiff
  zdiffstore zinter zintercard zinterstore zrandmember zscan zunion zunionstore
`;
/** What its client has besides. */
const OTHERS = `
  end monitor sendCommand getBlockingTimeoutInMs getConfiguredBlockingTimeout
  setSocketTimeout scanStream scanBufferStream sscanStream sscanBufferStream hscanStream
  hscanBufferStream zscanStream zscanBufferStream silentEmit recoverFromFatalError
  handleReconnection resetCommandQueue resetOfflineQueue parseOptions setStatus createScanStream
  flushQueue getBuiltinCommands createBuiltinCommand addBuiltinCommand defineCommand
  send_command
`;
/** Commands that the model has, but not in the form that gives buffers. */
const STRINGS_ONLY = `
  call multi decr decrby del exists expire get getdel incr incrby mget mset persist pexpire ping
  psetex pttl quit set setex setnx time ttl type unlink xack xadd xautoclaim xclaim xdel xgroup
  xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim hset hmset hsetnx hget
  hmget hgetall hdel hexists hlen hstrlen hkeys hvals hincrby hincrbyfloat lpush rpush lpushx
  rpushx lpop rpop llen lrange ltrim lindex lset lrem linsert lpos lmove rpoplpush lmpop sadd
  srem sismember smismember smembers scard smove sinter sunion sdiff sinterstore sunionstore
  sdiffstore sintercard zadd zincrby zrem zcard zscore zmscore zcount zlexcount zrank zrevrank
  zrange zrevrange zrangebyscore zrevrangebyscore zrangebylex zrevrangebylex zrangestore zpopmin
  zpopmax zmpop zremrangebyrank zremrangebyscore zremrangebylex rename renamenx
`;

/** The names of the commands that the model refuses. */
export function refusedCommands(): readonly string[] {
  return wordsIn(COMMANDS);
}

/** The names of all that a client of ioredis has and the model's has not. */
export function refusedNames(): readonly string[] {
  const commands = refusedCommands();
  const buffers = [...commands, ...wordsIn(STRINGS_ONLY)].map((name) => `${name}Buffer`);
  return [...commands, ...buffers, ...wordsIn(OTHERS)];
}

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
