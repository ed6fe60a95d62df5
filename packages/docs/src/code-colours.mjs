/** The usual colours of code, dark and light, each with its class in `styles/code-colours.css`. */
export const classes = {
  '--0:#FF9492;--1:#A0111F': 'k-a',
  '--0:#FFB757;--1:#702C00': 'k-b',
  '--0:#ADDCFF;--1:#032563': 'k-c',
  '--0:#91CBFF;--1:#023B95': 'k-d',
  '--0:#BDC4CC;--1:#606973': 'k-e',
  '--0:#DBB7FF;--1:#622CBC': 'k-f',
  '--0:#72F088;--1:#024C1A': 'k-g',
}
