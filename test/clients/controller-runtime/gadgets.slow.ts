import { describeGadgets } from './describe-gadgets.js';

describeGadgets(5_000);
