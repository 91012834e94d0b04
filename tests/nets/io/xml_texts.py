"""Files as other programs write them."""

XMLBIF = """<?xml version="1.0"?>
<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
<BIF VERSION="0.3"><NETWORK><NAME>Dog</NAME>
<VARIABLE TYPE="nature"><NAME> rain </NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME><PROPERTY>x</PROPERTY></VARIABLE>
<VARIABLE><NAME>wet</NAME><OUTCOME>&lt;1</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>0.8 0.2</TABLE></DEFINITION>
<DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN><TABLE>0.9 0.1 <!-- no -->
0.2 0.8</TABLE></DEFINITION>
</NETWORK></BIF>
"""
XDSL = """<?xml version="1.0" encoding="ISO-8859-1"?>
<smile version="1.0" id="Net" numsamples="1000">
<nodes>
<cpt id="rain" dynamic="no"><state id="no" /><state id="yes" /><probabilities>0.8 0.2</probabilities></cpt>
<deterministic id="wet"><state id="dry" /><state id="wet" /><parents>rain</parents>
<resultingstates>dry wet</resultingstates></deterministic>
</nodes>
<extensions><genie version="1.0"><node id="rain"><name>Regen f\xe4llt</name></node></genie></extensions>
</smile>
"""
