/** What a client of node-redis 6 has and the model refuses: by the names in camel case. */
const CAMEL = `
  reAuthenticate select subscribe unsubscribe pSubscribe pUnsubscribe sSubscribe sUnsubscribe
  watch unwatch monitor aclCat aclDelUser aclDryRun aclGenPass aclGetUser aclList aclLoad
  aclLogReset aclLog aclSave aclSetUser aclUsers aclWhoAmI append arCount arDel arDelRange arGet
  arGetRange arGrep arGrepWithValues arInfo arInsert arLastItems arLen arMGet arMSet arNext arOp
  arRing arScan arSeek arSet asking auth bgRewriteAof bgSave bitCount bitFieldRo bitField bitOp
  bitPos blessGet blessSet blessClear blessScan blMove blMoveM blmPop blPop brPop brPopLPush
  bzmPop bzPopMax bzPopMin clientCaching clientGetName clientGetRedir clientId clientInfo
  clientKill clientList clientNoEvict clientNoTouch clientPause clientSetName clientTracking
  clientTrackingInfo clientUnblock clientUnpause clusterAddSlots clusterAddSlotsRange
  clusterBumpEpoch clusterCountFailureReports clusterCountKeysInSlot clusterDelSlots
  clusterDelSlotsRange clusterFailover clusterFlushSlots clusterForget clusterGetKeysInSlot
  clusterInfo clusterKeySlot clusterLinks clusterMeet clusterMyId clusterMyShardId clusterNodes
  clusterReplicas clusterReplicate clusterReset clusterSaveConfig clusterSetConfigEpoch
  clusterSetSlot clusterSlots commandCount commandGetKeys commandGetKeysAndFlags commandDocs
  commandInfo commandList command configGet configResetStat configRewrite configSet copy dbSize
  delEx digest dump echo evalRo eval evalShaRo evalSha expireAt expireTime flushAll flushDb
  fCall fCallRo functionDelete functionDump functionFlush functionKill functionListWithCode
  functionList functionLoad functionRestore functionStats geoAdd geoDist geoHash geoPos
  geoRadiusRoWith geoRadiusRo geoRadiusStore geoRadiusWith geoRadius geoRadiusByMemberRoWith
  geoRadiusByMemberRo geoRadiusByMemberStore geoRadiusByMemberWith geoRadiusByMember
  geoSearchWith geoSearch geoSearchStore getBit getEx getRange getSet hello hExpire hExpireAt
  hExpireTime hGetDel hGetEx hImportDiscard hImportDiscardAll hImportPrepare hImportSet hPersist
  hpExpire hpExpireAt hpExpireTime hpTTL hRandFieldCountWithValues hRandFieldCount hRandField
  hScan hScanNoValues hSetEx hTTL hotkeysGet hotkeysReset hotkeysStart hotkeysStop incrByFloat
  increx incrExByFloat info keys lastSave latencyDoctor latencyGraph latencyHistory
  latencyHistogram latencyLatest latencyReset lcsIdxWithMatchLen lcsIdx lcsLen lcs lMoveM
  memoryDoctor memoryMallocStats memoryPurge memoryStats memoryUsage migrate moduleList
  moduleLoad moduleUnload move mSetEx mSetNX objectEncoding objectFreq objectIdleTime
  objectRefCount pExpireAt pExpireTime pfAdd pfCount pfMerge publish pubSubChannels pubSubNumPat
  pubSubNumSub pubSubShardNumSub pubSubShardChannels randomKey readonly replicaOf restoreAsking
  restore role scan scriptDebug scriptExists scriptFlush scriptKill scriptLoad sDiffCard setBit
  setRange sortRo sortStore sort sPopCount sPop sPublish sRandMemberCount sRandMember sScan
  strLen sUnionCard swapDb time touch wait xAckDel xCfgSet xDelEx xNack zDiffWithScores zDiff
  zDiffStore zInterWithScores zInter zInterCard zInterStore zRandMemberCountWithScores
  zRandMemberCount zRandMember zScan zUnionWithScores zUnion zUnionStore vAdd vCard vDim vEmb
  vEmbRaw vGetAttr vInfo vLinks vLinksWithScores vRandMember vRange vRem vSetAttr vSim
  vSimWithScores setDirtyWatch withCommandOptions withTypeMapping withAbortSignal asap legacy
  createPool getPubSubListeners extendPubSubChannelListeners extendPubSubListeners scanIterator
  hScanIterator hScanValuesIterator hScanNoValuesIterator sScanIterator zScanIterator reset
  resetIfDirty ref unref
`;
/** The same commands by the server's names. */
const UPPER = `
  ACL_CAT ACL_DELUSER ACL_DRYRUN ACL_GENPASS ACL_GETUSER ACL_LIST ACL_LOAD ACL_LOG_RESET ACL_LOG
  ACL_SAVE ACL_SETUSER ACL_USERS ACL_WHOAMI APPEND ARCOUNT ARDEL ARDELRANGE ARGET ARGETRANGE
  ARGREP ARGREP_WITHVALUES ARINFO ARINSERT ARLASTITEMS ARLEN ARMGET ARMSET ARNEXT AROP ARRING
  ARSCAN ARSEEK ARSET ASKING AUTH BGREWRITEAOF BGSAVE BITCOUNT BITFIELD_RO BITFIELD BITOP BITPOS
  BLESS_GET BLESS_SET BLESS_CLEAR BLESS_SCAN BLMOVE BLMOVEM BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP
  BZPOPMAX BZPOPMIN CLIENT_CACHING CLIENT_GETNAME CLIENT_GETREDIR CLIENT_ID CLIENT_INFO
  CLIENT_KILL CLIENT_LIST CLIENT_NO-EVICT CLIENT_NO-TOUCH CLIENT_PAUSE CLIENT_SETNAME
  CLIENT_TRACKING CLIENT_TRACKINGINFO CLIENT_UNBLOCK CLIENT_UNPAUSE CLUSTER_ADDSLOTS
  CLUSTER_ADDSLOTSRANGE CLUSTER_BUMPEPOCH CLUSTER_COUNT-FAILURE-REPORTS CLUSTER_COUNTKEYSINSLOT
  CLUSTER_DELSLOTS CLUSTER_DELSLOTSRANGE CLUSTER_FAILOVER CLUSTER_FLUSHSLOTS CLUSTER_FORGET
  CLUSTER_GETKEYSINSLOT CLUSTER_INFO CLUSTER_KEYSLOT CLUSTER_LINKS CLUSTER_MEET CLUSTER_MYID
  CLUSTER_MYSHARDID CLUSTER_NODES CLUSTER_REPLICAS CLUSTER_REPLICATE CLUSTER_RESET
  CLUSTER_SAVECONFIG CLUSTER_SET-CONFIG-EPOCH CLUSTER_SETSLOT CLUSTER_SLOTS COMMAND_COUNT
  COMMAND_GETKEYS COMMAND_GETKEYSANDFLAGS COMMAND_DOCS COMMAND_INFO COMMAND_LIST COMMAND
  CONFIG_GET CONFIG_RESETASTAT CONFIG_REWRITE CONFIG_SET COPY DBSIZE DELEX DIGEST DUMP ECHO
  EVAL_RO EVAL EVALSHA_RO EVALSHA EXPIREAT EXPIRETIME FLUSHALL FLUSHDB FCALL FCALL_RO
  FUNCTION_DELETE FUNCTION_DUMP FUNCTION_FLUSH FUNCTION_KILL FUNCTION_LIST_WITHCODE
  FUNCTION_LIST FUNCTION_LOAD FUNCTION_RESTORE FUNCTION_STATS GEOADD GEODIST GEOHASH GEOPOS
  GEORADIUS_RO_WITH GEORADIUS_RO GEORADIUS_STORE GEORADIUS_WITH GEORADIUS
  GEORADIUSBYMEMBER_RO_WITH GEORADIUSBYMEMBER_RO GEORADIUSBYMEMBER_STORE GEORADIUSBYMEMBER_WITH
  GEORADIUSBYMEMBER GEOSEARCH_WITH GEOSEARCH GEOSEARCHSTORE GETBIT GETEX GETRANGE GETSET HELLO
  HEXPIRE HEXPIREAT HEXPIRETIME HGETDEL HGETEX HIMPORT_DISCARD HIMPORT_DISCARDALL
  HIMPORT_PREPARE HIMPORT_SET HPERSIST HPEXPIRE HPEXPIREAT HPEXPIRETIME HPTTL
  HRANDFIELD_COUNT_WITHVALUES HRANDFIELD_COUNT HRANDFIELD HSCAN HSCAN_NOVALUES HSETEX HTTL
  HOTKEYS_GET HOTKEYS_RESET HOTKEYS_START HOTKEYS_STOP INCRBYFLOAT INCREX INCREXBYFLOAT INFO
  KEYS LASTSAVE LATENCY_DOCTOR LATENCY_GRAPH LATENCY_HISTORY LATENCY_HISTOGRAM LATENCY_LATEST
  LATENCY_RESET LCS_IDX_WITHMATCHLEN LCS_IDX LCS_LEN LCS LMOVEM LOLWUT MEMORY_DOCTOR
  MEMORY_MALLOC-STATS MEMORY_PURGE MEMORY_STATS MEMORY_USAGE MIGRATE MODULE_LIST MODULE_LOAD
  MODULE_UNLOAD MOVE MSETEX MSETNX OBJECT_ENCODING OBJECT_FREQ OBJECT_IDLETIME OBJECT_REFCOUNT
  PEXPIREAT PEXPIRETIME PFADD PFCOUNT PFMERGE PUBLISH PUBSUB_CHANNELS PUBSUB_NUMPAT
  PUBSUB_NUMSUB PUBSUB_SHARDNUMSUB PUBSUB_SHARDCHANNELS RANDOMKEY READONLY REPLICAOF
  RESTORE-ASKING RESTORE ROLE SCAN SCRIPT_DEBUG SCRIPT_EXISTS SCRIPT_FLUSH SCRIPT_KILL
  SCRIPT_LOAD SDIFFCARD SETBIT SETRANGE SORT_RO SORT_STORE SORT SPOP_COUNT SPOP SPUBLISH
  SRANDMEMBER_COUNT SRANDMEMBER SSCAN STRLEN SUNIONCARD SWAPDB TIME TOUCH WAIT XACKDEL XCFGSET
  XDELEX XNACK ZDIFF_WITHSCORES ZDIFF ZDIFFSTORE ZINTER_WITHSCORES ZINTER ZINTERCARD ZINTERSTORE
  ZRANDMEMBER_COUNT_WITHSCORES ZRANDMEMBER_COUNT ZRANDMEMBER ZSCAN ZUNION_WITHSCORES ZUNION
  ZUNIONSTORE VADD VCARD VDIM VEMB VEMB_RAW VGETATTR VINFO VLINKS VLINKS_WITHSCORES VRANDMEMBER
  VRANGE VREM VSETATTR VSIM VSIM_WITHSCORES SELECT SUBSCRIBE UNSUBSCRIBE PSUBSCRIBE PUNSUBSCRIBE
  SSUBSCRIBE SUNSUBSCRIBE WATCH UNWATCH MONITOR
`;

/** Its fields that the model does not have. */
export const REFUSED_FIELDS: readonly string[] = ["clientSideCache", "options", "socketEpoch"];

/** The names of all methods that a client of node-redis has and the model's has not. */
export function refusedByNodeRedis(): readonly string[] {
  return `${CAMEL} ${UPPER}`.split(/\s+/).filter((word) => word !== "");
}
