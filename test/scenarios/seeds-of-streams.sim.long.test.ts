import { isOfStreams, testThousandSeeds } from "./thousand-seeds.ts";

testThousandSeeds(isOfStreams);
