import { isOfStreams, testThousandSeeds } from "./thousand-seeds.ts";

testThousandSeeds((family) => !isOfStreams(family));
