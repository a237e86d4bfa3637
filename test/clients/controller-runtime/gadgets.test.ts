import { describeGadgets } from './describe-gadgets.js';

describeGadgets(1_000);
