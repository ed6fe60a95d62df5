import{j as a,k as b,l as c}from"./chunk-N5BTRFA7.js";import"./chunk-OT2SS7AZ.js";export{b as generatePrivateKey,a as privateKeySigner,c as solanaKeySigner};
